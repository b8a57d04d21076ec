/**
 * The cost of a packet's path: the same load on the direct path, through each mode and through peers, with few Services
 * and many, and while endpoints come and go.
 */
@org.jspecify.annotations.NullMarked
package dev.nodepath.bench.paths;
