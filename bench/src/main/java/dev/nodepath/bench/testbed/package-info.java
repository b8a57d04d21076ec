/**
 * The testbed of suites: for each contender a node with a client, a server and the proxy between them. It measures
 * nothing itself.
 */
@org.jspecify.annotations.NullMarked
package dev.nodepath.bench.testbed;
