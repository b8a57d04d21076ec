/** How long it takes until a change is in the kernel. */
@org.jspecify.annotations.NullMarked
package dev.nodepath.bench.programming;
