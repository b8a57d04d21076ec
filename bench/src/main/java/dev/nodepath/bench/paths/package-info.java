/** The way of packets: the same load directly, through both modes, and through their peers. */
@org.jspecify.annotations.NullMarked
package dev.nodepath.bench.paths;
