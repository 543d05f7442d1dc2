// The shared library of all that jostle_program and the layers below it contain.
