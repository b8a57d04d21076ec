/** Load: open-loop requests and UDP of our own, and what wrk and iperf3 print. Addresses come in, figures go out. */
@org.jspecify.annotations.NullMarked
package dev.nodepath.bench.load;
