package dev.nodepath.linux.iptables;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The complaints are those of iptables-restore 1.8.9, of both variants. */
class RestoreFailureTest {
    private static final String INPUT = """
            *nat
            :A - [0:0]
            -A A -m comment --comment "a -j NOPE" -j ACCEPT
            -A A -j NOPE
            -A A --foo
            COMMIT
            """;

    private static String message(String errors) {
        return String.valueOf(new RestoreFailure("iptables-restore", 2, errors, INPUT)
                .exception()
                .getMessage());
    }

    @Test
    void quotesTheLineThatFailed() {
        assertThat(message("iptables-restore: line 2 failed: No chain/target/match by that name.\n"))
                .isEqualTo("iptables-restore: exit code 2: line 2 failed: No chain/target/match by that name:"
                        + " line 2 is \":A - [0:0]\"");
        assertThat(message("iptables-restore: line 6 failed\n"))
                .isEqualTo("iptables-restore: exit code 2: line 6 failed: line 6 is \"COMMIT\"");
    }

    @Test
    void quotesTheLineThatCouldNotBeParsed() {
        assertThat(message("""
                        iptables-restore v1.8.9 (nf_tables): unknown option "--foo"
                        Error occurred at line: 5
                        Try `iptables-restore -h' or 'iptables-restore --help' for more information.
                        """))
                .isEqualTo("iptables-restore: exit code 2: unknown option \"--foo\"; Error occurred at line: 5:"
                        + " line 5 is \"-A A --foo\"");
    }

    @Test
    void quotesTheLineThatTheKernelRefused() {
        assertThat(
                        message(
                                "iptables-restore v1.8.9 (nf_tables): \nline 2: CHAIN_DEL failed (Device or resource busy): chain A\n"))
                .isEqualTo("iptables-restore: exit code 2: line 2: CHAIN_DEL failed (Device or resource busy): chain A:"
                        + " line 2 is \":A - [0:0]\"");
    }

    @Test
    void quotesTheJumpToAMissingChain() {
        assertThat(message("""
                        iptables-restore v1.8.9 (nf_tables): Chain 'NOPE' does not exist
                        Error occurred at line: 6
                        """)).endsWith(": line 4 is \"-A A -j NOPE\"");
    }

    @Test
    void saysWhatThereIsToSay() {
        assertThat(message("")).isEqualTo("iptables-restore: exit code 2");
        assertThat(message("iptables-restore: COMMIT expected at line 7"))
                .isEqualTo("iptables-restore: exit code 2: COMMIT expected at line 7");
    }

    @Test
    void blamesNoLineForWhatPasses() {
        for (String reason :
                List.of("Cannot allocate memory", "Resource temporarily unavailable", "Device or resource busy")) {
            IptablesException failure = new RestoreFailure(
                            "iptables-restore",
                            4,
                            "line 4: RULE_APPEND failed (" + reason + "): rule in chain A",
                            INPUT)
                    .exception();
            assertThat(failure.isRefusal()).as(reason).isFalse();
            assertThat(failure.isTemporary()).as(reason).isTrue();
        }
        assertThat(new RestoreFailure("iptables-restore", 4, "line 4: RULE_APPEND failed (Invalid argument)", INPUT)
                        .exception()
                        .isRefusal())
                .isTrue();
    }
}
