#pragma once

namespace jostle {

inline constexpr char kVersion[] = "0.1.0";

}  // namespace jostle
