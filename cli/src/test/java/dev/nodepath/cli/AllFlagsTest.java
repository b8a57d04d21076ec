package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.agent.http.HttpResponse;
import dev.nodepath.agent.options.ConfigFile;
import dev.nodepath.agent.options.ConfiguredCommand;
import dev.nodepath.agent.options.ProxyFlags;
import dev.nodepath.agent.process.ServerPages;
import dev.nodepath.endpoints.LogCapture;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Goes through all flags of {@code proxy} and {@code agent}. A new flag needs a value here. */
class AllFlagsTest {
    private static final String HEAD = "apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\n";

    /** Options that choose the task of the process, not its settings. */
    private static final Set<String> OF_THE_PROCESS =
            Set.of("--help", "--version", "--config", "--write-config-to", "--cleanup", "--init-only");

    /** Values that are not the default. */
    private static final Map<String, List<String>> VALUES = Stream.of("""
                    --access-log true
                    --balancer random
                    --bind-address 192.0.2.1
                    --bind-address-hard-fail true
                    --cluster-cidr 10.1.0.0/16,fd00:1::/64
                    --cni-bin-dir /bin2
                    --cni-conf-dir /conf2
                    --cni-socket /run/other/cni.sock
                    --conntrack-max-per-core 0
                    --conntrack-min 7
                    --conntrack-tcp-be-liberal true
                    --conntrack-tcp-timeout-close-wait 0s
                    --conntrack-tcp-timeout-established 1h
                    --conntrack-udp-timeout 3s
                    --conntrack-udp-timeout-stream 4s
                    --detect-local-mode NodeCIDR
                    --dial-timeouts 1s,2s
                    --drain-removed-endpoints 5s
                    --drain-timeout 6s
                    --event-loops 3
                    --healthz-bind-address 127.0.0.1:1
                    --healthz-bind-address [::1]:1
                    --healthz-port 0
                    --healthz-port 17
                    --host-root /host
                    --hostname-override n7
                    --install false
                    --install-dir /opt2
                    --io-uring false
                    --iptables-localhost-nodeports false
                    --iptables-masquerade-bit 0
                    --iptables-min-sync-period 2s
                    --iptables-sync-period 15m0s
                    --iptables-variant legacy
                    --keep-client-address true
                    --kubeconfig /kubeconfig
                    --manifests /manifests
                    --masquerade-all true
                    --master https://192.0.2.9:6443
                    --metrics-bind-address [::1]:2
                    --metrics-port 0
                    --metrics-port 18
                    --mode userspace
                    --mode nftables
                    --mtu 1400
                    --network-policy false
                    --network-policy-log-group 44
                    --print-syncs true
                    --network-policy-strict true
                    --pod-source-check false
                    --network-policy-wait 3s
                    --nftables-connection-counters true
                    --nftables-masquerade-bit 3
                    --nftables-min-sync-period 3s
                    --nftables-single-endpoint dnat
                    --nftables-sync-period 1m0s
                    --nodeport-addresses 10.0.0.0/8,fd00::/8
                    --nodeport-addresses primary
                    --non-masquerade-cidrs 10.9.0.0/16
                    --oom-score-adj -5
                    --overlay vxlan
                    --pod-bridge-interface cni9
                    --pod-interface-name-prefix veth
                    --proxy-port-range 1000-2000
                    --service-proxy-name mine
                    --tcp-reset-removed-endpoints true
                    --udp-timeout 2s
                    """.split("\n", -1))
            .filter(line -> !line.isEmpty())
            .map(line -> line.split(" ", 2))
            .collect(Collectors.groupingBy(
                    words -> words[0], TreeMap::new, Collectors.mapping(words -> words[1], Collectors.toList())));

    @TempDir
    private Path folder;

    private final StringWriter err = new StringWriter();

    /**
     * Flags with values: all of a command's flags, except those that choose another task, and those without effect.
     */
    private static Stream<List<String>> given(String command) {
        return spec(command).options().stream()
                .filter(option -> !isWithoutEffect(option))
                .map(option -> option.names()[0])
                .filter(name -> !OF_THE_PROCESS.contains(name) && !name.equals("-h") && !name.equals("-V"))
                .flatMap(name -> Objects.requireNonNull(VALUES.get(name), name).stream()
                        .map(value -> List.of(command, name, value)));
    }

    private static boolean isWithoutEffect(OptionSpec option) {
        return List.of(option.names()).contains("--v")
                || Set.of("--ipvs-strict-arp", "--log-json-split-stream", "--log-text-split-stream", "--profiling")
                        .contains(option.names()[0]);
    }

    private static CommandSpec spec(String command) {
        return spec(Nodepath.commandLineFor(command), command);
    }

    private static CommandSpec spec(CommandLine commandLine, String command) {
        return Objects.requireNonNull(commandLine.getSubcommands().get(command)).getCommandSpec();
    }

    static Stream<List<String>> ofTheProxy() {
        return given("proxy");
    }

    static Stream<List<String>> ofBoth() {
        return Stream.concat(given("proxy"), given("agent"));
    }

    /** A field of the file may have the value of a flag. */
    private static boolean isDecided(String flag) {
        return ConfigFile.decided().contains(flag) || flag.endsWith("z-port") || flag.equals("--metrics-port");
    }

    @ParameterizedTest
    @MethodSource("ofTheProxy")
    void isInTheWrittenFileWhichMeansTheSameOrIsNamed(List<String> given) throws Exception {
        Path plain = write("plain");
        try (LogCapture log = new LogCapture(ProxyFlags.class)) {
            Path written = write("written", given.get(1) + "=" + given.get(2));
            if (!isDecided(given.get(1))) {
                assertThat(written).hasSameTextualContentAs(plain);
                assertThat(log.warnings("config.options_not_written")).anyMatch(line -> line.contains(given.get(1)));
                return;
            }
            assertThat(Files.readString(written)).isNotEqualTo(Files.readString(plain));
            assertThat(log.warnings("")).isEmpty();
            Path again = write("again", "--config=" + written);
            assertThat(again).hasSameTextualContentAs(written);
        }
    }

    private Path write(String name, String... flags) {
        Path file = folder.resolve(name);
        List<String> arguments = new ArrayList<>(List.of("proxy", "--write-config-to=" + file));
        arguments.addAll(List.of(flags));
        CommandLine commandLine = Nodepath.commandLineFor("proxy");
        commandLine.setErr(new PrintWriter(err, true));
        assertThat(commandLine.execute(arguments.toArray(String[]::new)))
                .as(err.toString())
                .isZero();
        return file;
    }

    @Test
    void writesTheOlderPortsAsTheAddressesThatTheyMean() throws Exception {
        assertThat(Files.readString(write("off", "--healthz-port=0", "--metrics-port=0")))
                .contains("healthzBindAddress: 0.0.0.0:0\n", "metricsBindAddress: 127.0.0.1:0\n");
        assertThat(Files.readString(
                        write("on", "--healthz-port=17", "--healthz-bind-address=[::1]:5", "--metrics-port=18")))
                .contains("healthzBindAddress: '[::1]:17'\n", "metricsBindAddress: 127.0.0.1:18\n");
        assertThat(Files.readString(write("empty", "--healthz-bind-address=")))
                .contains("healthzBindAddress: 0.0.0.0:0\n");
    }

    @ParameterizedTest
    @MethodSource("ofBoth")
    void isOnThePageOfFlags(List<String> given) throws Exception {
        CommandLine commandLine = Nodepath.commandLineFor(given.get(0));
        commandLine.parseArgs(given.get(0), given.get(1) + "=" + given.get(2));
        CommandSpec spec = spec(commandLine, given.get(0));
        assertThat(flagz(spec)).contains("\n" + pageName(spec, given.get(1)) + "=" + given.get(2) + "\n");
    }

    private static String pageName(CommandSpec spec, String flag) {
        return Objects.requireNonNull(spec.findOption(flag)).longestName().substring(2);
    }

    private static String flagz(CommandSpec spec) throws Exception {
        return ServerPages.of(spec)
                .before(path -> HttpResponse.text(404, ""))
                .handle("/flagz")
                .body();
    }

    @Test
    void thePageOfFlagsHasThoseWithoutEffectAsTheyAreGiven() throws Exception {
        for (String config : List.of("", "--config=" + Files.writeString(folder.resolve("config"), HEAD))) {
            CommandLine commandLine = Nodepath.commandLineFor("proxy");
            List<String> words = new ArrayList<>(
                    List.of("proxy", "--v=2", "--logging-format", "json", "--profiling", "--kube-api-qps=5"));
            if (!config.isEmpty()) {
                words.add(config);
            }
            commandLine.parseArgs(words.toArray(String[]::new));
            CommandSpec spec = spec(commandLine, "proxy");
            String page = flagz(config.isEmpty() ? spec : configured("proxy", spec));
            assertThat(page)
                    .contains("\nv=2\n", "\nlogging-format=json\n", "\nprofiling=true\n", "\nkube-api-qps=5\n")
                    .doesNotContain("show-hidden")
                    .contains("\nconfig=" + config.replace("--config=", "") + "\n");
        }
    }

    /** kube-proxy's flags have no effect beside a file, as with kube-proxy, and one warning names them. */
    @ParameterizedTest
    @MethodSource("ofBoth")
    void besideAFileItHoldsIfNoFieldCanSayIt(List<String> given) throws Exception {
        String command = given.get(0);
        String flag = given.get(1);
        Path config = Files.writeString(folder.resolve("config"), HEAD);
        boolean isSwitch =
                Objects.requireNonNull(spec(command).findOption(flag)).arity().max() == 0;
        for (String words : isSwitch ? List.of(flag, flag + "=true") : List.of(flag + "=" + given.get(2))) {
            try (LogCapture log = new LogCapture(ConfiguredCommand.class)) {
                CommandLine commandLine = Nodepath.commandLineFor(command);
                commandLine.parseArgs(command, "--config=" + config, words);
                CommandSpec configured = configured(command, spec(commandLine, command));
                String line = "\n" + pageName(configured, flag) + "=" + given.get(2) + "\n";
                boolean overrides = flag.equals("--hostname-override")
                        || (command.equals("agent")
                                && Set.of("--mode", "--kubeconfig").contains(flag));
                if (isDecided(flag) && !overrides) {
                    assertThat(flagz(configured)).doesNotContain(line);
                    assertThat(log.warnings("config.options_ignored"))
                            .singleElement()
                            .asString()
                            .contains(flag);
                } else {
                    assertThat(flagz(configured)).contains(line);
                    assertThat(log.warnings("")).isEmpty();
                }
            }
        }
    }

    private static CommandSpec configured(String command, CommandSpec given) throws Exception {
        boolean agent = command.equals("agent");
        Object fresh = ConfiguredCommand.of(
                agent ? new AgentCommand() : new ProxyCommand(),
                given.commandLine().getParseResult().matchedOptionValue("--config", Path.of("")),
                given.commandLine().getParseResult(),
                agent ? Set.of("--hostname-override", "--kubeconfig", "--mode") : Set.of("--hostname-override"));
        Field spec = fresh.getClass().getDeclaredField("spec");
        spec.setAccessible(true);
        return (CommandSpec) spec.get(fresh);
    }
}
