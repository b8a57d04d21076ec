package dev.nodepath.cni;

import static dev.nodepath.cni.SharedNode.succeeded;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.RuntimeCall.Answer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Containers that upstream's plugin wired and masqueraded, on a node that this plugin has taken over since. */
@Tag("netns")
class TakeOverKernelTest {
    /**
     * The rules of newer upstreams for {@code ipMasqBackend: nftables}, which Debian's does not know. A comment begins
     * with digits of the SHA-512 of {@code n} or {@code other}, and of {@code eth0:a} or {@code eth0:b}.
     */
    private static final String RULES = """
            table inet cni_plugins_masquerade {
              chain masq_checks {
                ip saddr 10.1.2.2 ip daddr != 10.1.2.0/24 masquerade comment "917148ec47923f2e-a193fd394fc69048, net: n, if: eth0, id: a"
                ip6 saddr fd00::2 ip6 daddr != fd00::/64 masquerade comment "917148ec47923f2e-a193fd394fc69048, net: n, if: eth0, id: a"
                ip saddr 10.1.2.3 ip daddr != 10.1.2.0/24 masquerade comment "917148ec47923f2e-705ab526e1b0362f, net: n, if: eth0, id: b"
                ip saddr 10.9.0.2 ip daddr != 10.9.0.0/24 masquerade comment "e25ac3845f8cbe12-a193fd394fc69048, net: other, if: eth0, id: a"
              }
              chain postrouting {
                type nat hook postrouting priority srcnat
                goto masq_checks
              }
            }
            """;

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"nft", "legacy"})
    void delTakesAwayThePodsChainsAndNoOthers(String variant) throws Exception {
        String config = config("n", "10.1.2.0/24", "fd00::/64");
        String other = config("other", "10.9.0.0/24");
        try (SharedNode node = new SharedNode("np-take")) {
            theirs(node, "ADD", "a", "eth0", variant, config);
            theirs(node, "ADD", "b", "eth0", variant, config);
            theirs(node, "ADD", "a", "eth1", variant, other);
            assertThat(chains(node, variant)).hasSize(5);
            succeeded(node.ours("DEL", "a", config));
            assertThat(chains(node, variant)).hasSize(3);
            Map<String, String> withoutNamespace = node.environment("DEL", "b");
            withoutNamespace.put("CNI_NETNS", "");
            succeeded(node.ours(withoutNamespace, config));
            assertThat(chains(node, variant)).hasSize(1);
            theirs(node, "DEL", "a", "eth1", variant, other);
            assertThat(listing(node, variant)).doesNotContain("CNI-");
        }
    }

    /** Upstream's interfaces of a container share a chain. */
    @ParameterizedTest
    @ValueSource(strings = {"nft", "legacy"})
    void delLeavesTheRulesOfTheContainersOtherInterface(String variant) throws Exception {
        String config = config("n", "10.1.2.0/24", "fd00::/64");
        try (SharedNode node = new SharedNode("np-take")) {
            theirs(node, "ADD", "a", "eth0", variant, config);
            theirs(node, "ADD", "a", "eth1", variant, config);
            Map<String, String> withoutNamespace = node.environment("DEL", "a");
            withoutNamespace.put("CNI_NETNS", "");
            for (Map<String, String> call : List.of(node.environment("DEL", "a"), withoutNamespace)) {
                succeeded(node.ours(call, config));
                assertThat(listing(node, variant))
                        .contains("-s 10.1.2.3/32", "-s fd00::3/128")
                        .doesNotContain("-s 10.1.2.2/32", "-s fd00::2/128");
                assertThat(chains(node, variant)).hasSize(2);
            }
            withoutNamespace.put("CNI_IFNAME", "eth1");
            succeeded(node.ours(withoutNamespace, config));
            assertThat(listing(node, variant)).doesNotContain("CNI-");
        }
    }

    /** Upstream's chain has the digest of the two names one behind the other. */
    @ParameterizedTest
    @ValueSource(strings = {"nft", "legacy"})
    void delLeavesTheChainThatAContainerOfAnotherNetworkShares(String variant) throws Exception {
        String config = config("n", "10.1.2.0/24");
        String other = config("nx", "10.9.0.0/24");
        try (SharedNode node = new SharedNode("np-take")) {
            theirs(node, "ADD", "xa", "eth0", variant, config);
            theirs(node, "ADD", "a", "eth0", variant, other);
            assertThat(chains(node, variant)).hasSize(1);
            assertThat(succeeded(node.ours("DEL", "xa", config)).stderr()).isEmpty();
            assertThat(listing(node, variant)).contains("-s 10.9.0.2/32").doesNotContain("-s 10.1.2.2/32");
            assertThat(chains(node, variant)).hasSize(1);
            assertThat(succeeded(node.ours("DEL", "a", other)).stderr()).isEmpty();
            assertThat(listing(node, variant)).doesNotContain("CNI-");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"nft", "legacy"})
    void gcTakesAwayTheChainsOfPodsThatAreGone(String variant) throws Exception {
        String config = config("n", "10.1.2.0/24");
        String other = config("other", "10.9.0.0/24");
        try (SharedNode node = new SharedNode("np-take")) {
            for (String container : List.of("a", "b", "c")) {
                theirs(node, "ADD", container, "eth0", variant, config);
            }
            theirs(node, "ADD", "a", "eth1", variant, other);
            String valid = "[{\"containerID\":\"b\",\"ifname\":\"eth0\"}]";
            succeeded(node.ours("GC", "any", with(config, "cni.dev/valid-attachments", valid)));
            assertThat(chains(node, variant)).hasSize(2);
            theirs(node, "DEL", "b", "eth0", variant, config);
            theirs(node, "DEL", "a", "eth1", variant, other);
            assertThat(listing(node, variant)).doesNotContain("CNI-");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "DEL | []                                          | id: b, net: other",
                "GC  | []                                          | net: other",
                "GC  | [{\"containerID\":\"b\",\"ifname\":\"eth0\"}] | id: b, net: other",
            })
    void takesAwayTheRulesOfUpstreamsNftablesBackend(String command, String valid, String kept) throws Exception {
        String config = with(config("n", "10.1.2.0/24"), "cni.dev/valid-attachments", valid);
        try (SharedNode node = new SharedNode("np-take")) {
            loadRules(node);
            succeeded(node.ours(command, "a", config));
            List<String> left = node.run("nft", "list", "ruleset")
                    .lines()
                    .filter(line -> line.contains("comment"))
                    .toList();
            assertThat(left).hasSize(kept.split(", ", -1).length);
            assertThat(String.join("\n", left)).contains(kept.split(", ", -1));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"nft", "legacy", "rules"})
    void checkHoldsAndSaysThatUpstreamsRulesMasquerade(String variant) throws Exception {
        String config = config("n", "10.1.2.0/24", "fd00::/64");
        boolean byRules = variant.equals("rules");
        try (SharedNode node = new SharedNode("np-take")) {
            String addConfig = byRules ? config.replace("\"ipMasq\":true,", "") : config;
            Answer added = theirs(node, "ADD", "a", "eth0", byRules ? "nft" : variant, addConfig);
            if (byRules) {
                loadRules(node);
            }
            Answer check = node.ours("CHECK", "a", with(config, "prevResult", added.stdout()));
            assertThat(succeeded(check).stderr())
                    .contains(
                            "ipMasq of 10.1.2.2/24: rules of upstream's plugin masquerade it",
                            "ipMasq of fd00::2/64: rules");
        }
    }

    @Test
    void checkSaysThatNobodyMasquerades() throws Exception {
        String config = config("n", "10.1.2.0/24");
        try (SharedNode node = new SharedNode("np-take")) {
            Answer added = theirs(node, "ADD", "a", "eth0", "nft", config.replace("\"ipMasq\":true,", ""));
            Answer check = node.ours("CHECK", "a", with(config, "prevResult", added.stdout()));
            assertThat(check.exitCode()).isEqualTo(1);
            assertThat(check.stdout()).contains("rule of ipMasq for 10.1.2.", "missing");
        }
    }

    private String config(String network, String... subnets) {
        StringBuilder ranges = new StringBuilder();
        for (String subnet : subnets) {
            ranges.append(ranges.isEmpty() ? "" : ",")
                    .append("[{\"subnet\":\"")
                    .append(subnet)
                    .append("\"}]");
        }
        return "{\"cniVersion\":\"1.0.0\",\"name\":\"" + network + "\",\"type\":\"bridge\",\"bridge\":\"br-" + network
                + "\",\"ipMasq\":true,\"isGateway\":true,\"ipam\":{\"type\":\"host-local\",\"dataDir\":\""
                + directory.resolve("addresses") + "\",\"ranges\":[" + ranges + "]}}";
    }

    /** The configuration as the newest protocol has it, which Debian's plugin does not speak, with one member more. */
    private static String with(String config, String member, String value) {
        return config.substring(0, config.length() - 1).replace("1.0.0", "1.1.0") + ",\"" + member + "\":" + value
                + "}";
    }

    private void loadRules(SharedNode node) throws Exception {
        Path rules = directory.resolve("rules.nft");
        Files.writeString(rules, RULES);
        node.run("nft", "-f", rules.toString());
    }

    /** Debian's plugin, which takes the first iptables of its PATH. */
    private Answer theirs(
            SharedNode node, String command, String container, String ifname, String variant, String config)
            throws Exception {
        Path programs = Files.createDirectories(directory.resolve(variant));
        for (String program : List.of("iptables", "ip6tables")) {
            Path script = programs.resolve(program);
            Files.writeString(script, "#!/bin/sh\nexec /usr/sbin/" + program + "-" + variant + " \"$@\"\n");
            assertThat(script.toFile().setExecutable(true)).isTrue();
        }
        Map<String, String> environment = node.environment(command, container);
        environment.put("CNI_IFNAME", ifname);
        environment.put("PATH", programs + ":" + environment.get("PATH"));
        return succeeded(node.debians(environment, config));
    }

    private static List<String> chains(SharedNode node, String variant) throws Exception {
        return listing(node, variant)
                .lines()
                .filter(line -> line.startsWith(":CNI-"))
                .toList();
    }

    private static String listing(SharedNode node, String variant) throws Exception {
        return node.run("iptables-" + variant + "-save", "-t", "nat")
                + node.run("ip6tables-" + variant + "-save", "-t", "nat");
    }
}
