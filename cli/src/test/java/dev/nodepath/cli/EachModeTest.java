package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.Eventually;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that hold in each mode of one cluster. */
@Tag("netns")
@Tag("page")
@ParameterizedClass
@ValueSource(strings = {"nftables", "userspace", "iptables"})
@ExtendWith(SharedCluster.OfAllClasses.class)
@Timeout(900)
class EachModeTest {
    private static final int LOOKUPS = 10;

    private static SharedCluster cluster = SharedCluster.NONE;

    @Parameter
    private String mode = "";

    @BeforeAll
    static void share(SharedCluster shared) {
        cluster = shared;
    }

    @BeforeEach
    void whole() throws Exception {
        cluster.whole(mode);
    }

    @Test
    void tracesSayWhereRealRequestsGoAndWhatSourceTheyShow() throws Exception {
        new TracedRequests(cluster.script()).areAsInMode(mode);
    }

    /** Names pass the Service {@code kube-dns} as any other packet. */
    @Test
    void namesAreResolvedThroughTheServiceAlsoAtTheEndOfAServer() throws Exception {
        assertThat(inside("cat /etc/resolv.conf")).contains("nameserver 10.96.0.10\n");
        for (String transport : List.of("", "RES_OPTIONS=use-vc ")) {
            assertThat(inside(transport + "getent ahostsv4 web")).as(transport).contains("10.96.0.20 ");
            assertThat(inside(transport + "getent ahostsv4 web.default.svc.cluster.local"))
                    .as(transport)
                    .contains("10.96.0.20 ");
        }
        assertThat(cluster.script()
                        .ask("exec", "client-1", "--", "getent", "ahostsv4", "nobody")
                        .exitCode())
                .isEqualTo(2);

        List<String> servers = servers();
        assertThat(servers).hasSize(2);
        kubectl("delete " + servers.get(0) + " --grace-period=0 --force");
        // The rules of the client's node follow a moment later.
        Eventually.isTrue("answers of the other server", () -> {
            String answers = inside("for i in $(seq " + LOOKUPS + "); do getent ahostsv4 web || echo failed; done");
            return answers.contains("10.96.0.20 ") && !answers.contains("failed");
        });
        Eventually.isTrue(
                "another server", () -> servers().size() == 2 && !servers().contains(servers.get(0)));
    }

    private List<String> servers() throws IOException, InterruptedException {
        return kubectl("get pods -l k8s-app=kube-dns -o name").lines().toList();
    }

    private String kubectl(String arguments) throws IOException, InterruptedException {
        return cluster.script()
                .ask(("kubectl -n kube-system " + arguments).split(" ", -1))
                .output();
    }

    private String inside(String script) throws IOException, InterruptedException {
        return cluster.script()
                .ask("exec", "client-1", "--", "sh", "-c", script)
                .output();
    }
}
