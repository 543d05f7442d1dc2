// Included by the compiler's command line into each file of Jostle, since most become part of
// programs: a name in the object's symbol table, which tells it from objects of the program that
// should have been instrumented, and were not (explore/blind_spots.h).
#pragma once

asm(".set jostle_own, 1");
