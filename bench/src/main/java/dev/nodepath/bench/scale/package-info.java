/** What the number of Services costs a connection. */
@org.jspecify.annotations.NullMarked
package dev.nodepath.bench.scale;
