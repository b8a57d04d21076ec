/** How long a change takes until it is in the kernel. */
@org.jspecify.annotations.NullMarked
package dev.nodepath.bench.programming;
