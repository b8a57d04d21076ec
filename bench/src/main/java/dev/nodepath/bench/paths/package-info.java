/** What a packet's path costs: the same load directly, through each mode, and through its peers. */
@org.jspecify.annotations.NullMarked
package dev.nodepath.bench.paths;
