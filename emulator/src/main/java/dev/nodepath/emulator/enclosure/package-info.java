/**
 * A user namespace of its own, where a command may do all it needs without root. It starts Java again inside and
 * ends with the one who asked.
 */
package dev.nodepath.emulator.enclosure;
