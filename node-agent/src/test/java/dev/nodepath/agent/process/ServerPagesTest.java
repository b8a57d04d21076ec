package dev.nodepath.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.agent.http.HttpResponse;
import dev.nodepath.agent.http.PathHandler;
import dev.nodepath.agent.options.ProxyFlags;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

class ServerPagesTest {
    private final ManualClock clock = new ManualClock("2026-11-02T20:00:00Z");
    private int healthz = 200;
    private final PathHandler pages = new ServerPages(Map.of("v", "2", "mode", "iptables"), clock)
            .before(path -> path.equals("/healthz")
                    ? HttpResponse.text(healthz, "ok")
                    : HttpResponse.text(404, "404 page not found\n"));

    private String body(String path) throws Exception {
        HttpResponse response = pages.handle(path);
        assertThat(response.status()).isEqualTo(200);
        return response.body();
    }

    @Test
    void flagzHasTheFlagsInOrder() throws Exception {
        assertThat(body("/flagz")).startsWith("\nnodepath flagz\n").endsWith("\n\nmode=iptables\nv=2\n");
    }

    @Test
    void flagzHasEveryFlagWithItsValue() throws Exception {
        CommandSpec spec = CommandSpec.create().mixinStandardHelpOptions(true);
        spec.addMixin("flags", CommandSpec.forAnnotatedObject(new ProxyFlags()));
        CommandLine command = new CommandLine(spec).setCaseInsensitiveEnumValuesAllowed(true);
        command.parseArgs("--cluster-cidr=10.0.0.0/8,fd00::/8", "--masquerade-all", "--v=4");
        String page = ServerPages.of(command.getCommandSpec())
                .before(pages)
                .handle("/flagz")
                .body();
        assertThat(page)
                .contains(
                        "\ncluster-cidr=10.0.0.0/8,fd00::/8\n",
                        "\nmasquerade-all=true\n",
                        "\noom-score-adj=-999\n",
                        "\nkubeconfig=\n")
                .doesNotContain("\nhelp=");
    }

    @Test
    void statuszSaysSinceWhenAndWhat() throws Exception {
        clock.pass(Duration.ofSeconds(3600 + 2 * 60 + 3));
        assertThat(body("/statusz"))
                .startsWith("\nnodepath statusz\n")
                .contains(
                        "\nStarted: Mon Nov  2 20:00:00 UTC 2026\n",
                        "\nUp: 1 hr 02 min 03 sec\n",
                        "\nJava version: " + Runtime.version() + "\n",
                        "\nBinary version: " + NodepathVersion.version() + "\n",
                        "\nPaths: /configz /flagz ")
                .containsPattern("\nOOM score adjustment: -?[0-9]+\n");
    }

    @Test
    void slisCountHowHealthzWasAnswered() throws Exception {
        assertThat(body("/metrics/slis")).doesNotContain("name=\"ping\"");
        pages.handle("/healthz");
        pages.handle("/healthz");
        assertThat(body("/metrics/slis"))
                .contains(
                        "kubernetes_healthcheck{name=\"ping\",type=\"healthz\"} 1.0\n",
                        "kubernetes_healthchecks_total{name=\"ping\",status=\"success\",type=\"healthz\"} 2.0\n");
        healthz = 500;
        pages.handle("/healthz");
        assertThat(body("/metrics/slis"))
                .contains(
                        "kubernetes_healthcheck{name=\"ping\",type=\"healthz\"} 0.0\n",
                        "kubernetes_healthchecks_total{name=\"ping\",status=\"error\",type=\"healthz\"} 1.0\n");
    }

    @Test
    void otherPathsAreTheNextOnes() throws Exception {
        assertThat(pages.handle("/debug").status()).isEqualTo(404);
    }
}
