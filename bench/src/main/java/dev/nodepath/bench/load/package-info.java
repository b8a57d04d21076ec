/** Load generators: open-loop requests, UDP echoes, wrk and iperf3. Input: addresses. Output: figures. */
@org.jspecify.annotations.NullMarked
package dev.nodepath.bench.load;
