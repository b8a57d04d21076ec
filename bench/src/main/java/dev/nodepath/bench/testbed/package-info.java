/** Where the suites measure: a node with a client and a server for each contender, and what leads traffic between them. */
@org.jspecify.annotations.NullMarked
package dev.nodepath.bench.testbed;
