/** The cost of a connection by the number of Services. */
@org.jspecify.annotations.NullMarked
package dev.nodepath.bench.scale;
