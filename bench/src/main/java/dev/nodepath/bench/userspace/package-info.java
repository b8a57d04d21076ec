/** The cost of userspace mode's relay alone. */
@org.jspecify.annotations.NullMarked
package dev.nodepath.bench.userspace;
