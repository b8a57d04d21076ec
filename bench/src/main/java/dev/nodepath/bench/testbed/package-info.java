/**
 * The testbed of suites: for each contender a node with a client, a server and the proxy between them, and the load
 * that the client makes: open-loop requests, UDP echoes, wrk and iperf3. It knows no suite and records no figure.
 */
@org.jspecify.annotations.NullMarked
package dev.nodepath.bench.testbed;
