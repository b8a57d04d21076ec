package dev.nodepath.bench.testbed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The output of wrk 4.1 and iperf 3.12. */
class ToolOutputTest {
    private static final String WRK = """
            Running 1s test @ http://10.96.0.10:80/
              1 threads and 32 connections
              Thread Stats   Avg      Stdev     Max   +/- Stdev
                Latency     5.53ms   10.08ms  79.84ms   88.09%%
                Req/Sec    16.31k     3.48k   22.97k    70.00%%
              Latency Distribution
                 50%%    1.25ms
                 75%%    5.31ms
                 90%%   16.57ms
                 99%%   %s
              16252 requests in 1.00s, 3.41MB read
            %sRequests/sec:  16226.32
            Transfer/sec:      3.40MB
            """;

    @ParameterizedTest
    @CsvSource({"47.61ms, 47.61", "290.00us, 0.29", "1.50s, 1500", "1.00m, 60000"})
    void readsWhatWrkSays(String p99, double millis) {
        WrkResult result = WrkResult.parse(WRK.formatted(p99, ""));
        assertThat(result).isEqualTo(new WrkResult(16252, 0, 16226.32, millis));
    }

    @Test
    void countsWhatWentWrong() {
        String errors = """
                  Socket errors: connect 1, read 20, write 300, timeout 4000
                  Non-2xx or 3xx responses: 50000
                """;
        assertThat(WrkResult.parse(WRK.formatted("1.00ms", errors)).errors()).isEqualTo(54_321);
    }

    @Test
    void isNoMeasureOnceARequestFailed() throws IOException {
        WrkResult.parse(WRK.formatted("1.00ms", "")).requireAllAnswered();
        assertThatThrownBy(() -> WrkResult.parse(WRK.formatted("1.00ms", "  Non-2xx or 3xx responses: 3\n"))
                        .requireAllAnswered())
                .isInstanceOf(IOException.class)
                .hasMessage("3 requests failed, 16252 were answered (expected: all answered)");
        assertThatThrownBy(() -> new WrkResult(0, 0, 0, 0).requireAllAnswered()).isInstanceOf(IOException.class);
    }

    @Test
    void refusesOtherOutput() {
        assertThatThrownBy(() -> WrkResult.parse("unable to connect to 10.96.0.10:80 Connection refused"))
                .hasMessageContaining("Connection refused");
        assertThatThrownBy(() -> IperfResult.parse("{\"error\": \"the server is busy\"}"))
                .hasMessageContaining("the server is busy");
    }

    @Test
    void readsWhatTheReceiverOfIperfGot() {
        String json = """
                {"end": {"sum_sent": {"start": 0, "seconds": 1.0001, "bytes": 2000000000, "bits_per_second": 1.6e+10, "sender": true},
                 "sum_received":	{
                			"start":	0,
                			"seconds":	1.0002,
                			"bytes":	1925185536,
                			"bits_per_second":	15398404584.9,
                			"sender":	true
                		}}}""";
        IperfResult result = IperfResult.parse(json);
        assertThat(result.bytes()).isEqualTo(1_925_185_536);
        assertThat(result.gigabitsPerSecond()).isBetween(15.398, 15.399);
    }
}
