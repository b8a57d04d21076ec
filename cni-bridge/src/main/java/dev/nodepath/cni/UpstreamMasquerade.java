package dev.nodepath.cni;

import dev.nodepath.cni.ipam.Attachment;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.nftables.NftChain;
import dev.nodepath.linux.nftables.NftChange;
import dev.nodepath.linux.nftables.NftFamily;
import dev.nodepath.linux.nftables.NftListedRule;
import dev.nodepath.linux.nftables.NftTable;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The rules of upstream's bridge plugin for {@code ipMasq}, of containers attached before this plugin was installed.
 * They are iptables chains ({@link UpstreamChains}), or one nf_tables rule per address with digests of network and
 * attachment in its comment. They work until their container is removed. Only this class removes them. Source: {@code
 * pkg/ip/ipmasq_nftables_linux.go} of containernetworking/plugins.
 */
final class UpstreamMasquerade {
    private static final NftChain RULES =
            new NftChain(new NftTable(NftFamily.INET, "cni_plugins_masquerade"), "masq_checks", Optional.empty());

    /** The length of a digest in a comment, in hex digits. */
    private static final int DIGITS = 16;

    /** The addresses whose rules stay. */
    @FunctionalInterface
    interface Kept {
        /** Reads them. It is called only if there are rules. */
        Set<IpAddress> addresses() throws IOException;
    }

    private final NetworkNamespace host;
    private final String network;
    private final UpstreamChains chains;

    /** The rules of one network in the node's namespace. */
    UpstreamMasquerade(NetworkNamespace host, String network) {
        this.host = host;
        this.network = network;
        this.chains = new UpstreamChains(host, network);
    }

    /** Whether these rules masquerade a container. */
    boolean covers(Attachment attachment, IpFamily family) throws LinuxNetException {
        if (chains.has(family, attachment.containerId())) {
            return true;
        }
        List<NftListedRule> rules = host.nftRules(RULES);
        String start = rules.isEmpty() ? "" : commentStart(attachment);
        return rules.stream().anyMatch(rule -> rule.comment().startsWith(start));
    }

    /**
     * Removes the rules of an attachment. Without rules it only asks the kernel and runs no program.
     *
     * @param kept the addresses of the container's other interfaces. An iptables rule names no interface.
     */
    void remove(Attachment attachment, Kept kept) throws IOException {
        chains.remove(attachment.containerId()::equals, kept);
        List<NftListedRule> rules = host.nftRules(RULES);
        String start = rules.isEmpty() ? "" : commentStart(attachment);
        for (NftListedRule rule : rules) {
            if (rule.comment().startsWith(start)) {
                remove(rule);
            }
        }
    }

    /** Removes the rules of all other containers of the network. */
    void removeOthers(Set<Attachment> valid) throws IOException {
        Set<String> containers = new HashSet<>();
        valid.forEach(attachment -> containers.add(attachment.containerId()));
        chains.remove(container -> !containers.contains(container), Set::of);
        List<NftListedRule> rules = host.nftRules(RULES);
        if (rules.isEmpty()) {
            return;
        }
        Set<String> kept = new HashSet<>();
        valid.forEach(attachment -> kept.add(commentStart(attachment)));
        String ofNetwork = digest(network) + "-";
        for (NftListedRule rule : rules) {
            if (rule.comment().startsWith(ofNetwork)
                    && kept.stream().noneMatch(start -> rule.comment().startsWith(start))) {
                remove(rule);
            }
        }
    }

    private void remove(NftListedRule rule) throws LinuxNetException {
        try {
            host.nftApply(List.of(new NftChange.DeleteRule(RULES, rule.handle())));
        } catch (LinuxNetException e) {
            if (e.errno() != Errno.ENOENT) { // another program took it away
                throw e;
            }
        }
    }

    private String commentStart(Attachment attachment) {
        return digest(network) + "-" + digest(attachment.ifname() + ":" + attachment.containerId());
    }

    /** Takes 20 ms in a short-lived process, so it is computed only if there are such rules. */
    private static String digest(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-512").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest).substring(0, DIGITS);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-512", e);
        }
    }
}
