/**
 * {@code nodepath compare}: the same traffic through every proxy mode, checked and measured. Results go out as a
 * table and a report.
 */
package dev.nodepath.emulator.compare;
