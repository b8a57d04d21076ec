/** The time from a change, or a start, to the rules in the kernel. */
@org.jspecify.annotations.NullMarked
package dev.nodepath.bench.programming;
