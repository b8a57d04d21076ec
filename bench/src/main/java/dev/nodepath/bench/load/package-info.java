/** Load: open-loop requests and UDP of our own, and what wrk and iperf3 say. */
@org.jspecify.annotations.NullMarked
package dev.nodepath.bench.load;
