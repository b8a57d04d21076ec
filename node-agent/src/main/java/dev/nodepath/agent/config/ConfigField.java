package dev.nodepath.agent.config;

import dev.nodepath.endpoints.source.manifests.ManifestException;
import dev.nodepath.endpoints.source.manifests.ManifestNode;
import dev.nodepath.linux.address.Cidr;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A field of {@code KubeProxyConfiguration} ({@code kubeproxy.config.k8s.io/v1alpha1}).
 *
 * @param path such as {@code iptables.syncPeriod}
 * @param flag the option of {@code nodepath proxy} with the same meaning; null if the field is accepted and has no effect
 */
record ConfigField(String path, Type type, @Nullable String flag) {

    /** The type of a field's value. */
    enum Type {
        STRING,
        BOOLEAN,
        INTEGER,
        NUMBER,
        /** 0 means the default. */
        PERIOD,
        /** 0 means no change. */
        TIMEOUT,
        ADDRESS,
        NETWORKS,
        STRINGS,
        NODE_PORT_ADDRESSES,
        /** Any value below it. */
        TREE
    }

    /** Every field there is; the order is that of the file that kubeadm writes. */
    static final List<ConfigField> ALL = List.of(
            unused("apiVersion", Type.STRING),
            unused("kind", Type.STRING),
            unused("metadata", Type.TREE),
            used("bindAddress", Type.STRING, "--bind-address"),
            used("bindAddressHardFail", Type.BOOLEAN, "--bind-address-hard-fail"),
            unused("clientConnection.acceptContentTypes", Type.STRING),
            unused("clientConnection.burst", Type.INTEGER),
            unused("clientConnection.contentType", Type.STRING),
            used("clientConnection.kubeconfig", Type.STRING, "--kubeconfig"),
            unused("clientConnection.qps", Type.NUMBER),
            used("clusterCIDR", Type.NETWORKS, "--cluster-cidr"),
            unused("configSyncPeriod", Type.PERIOD),
            used("conntrack.maxPerCore", Type.INTEGER, "--conntrack-max-per-core"),
            used("conntrack.min", Type.INTEGER, "--conntrack-min"),
            used("conntrack.tcpBeLiberal", Type.BOOLEAN, "--conntrack-tcp-be-liberal"),
            used("conntrack.tcpCloseWaitTimeout", Type.TIMEOUT, "--conntrack-tcp-timeout-close-wait"),
            used("conntrack.tcpEstablishedTimeout", Type.TIMEOUT, "--conntrack-tcp-timeout-established"),
            used("conntrack.udpStreamTimeout", Type.TIMEOUT, "--conntrack-udp-timeout-stream"),
            used("conntrack.udpTimeout", Type.TIMEOUT, "--conntrack-udp-timeout"),
            used("detectLocal.bridgeInterface", Type.STRING, "--pod-bridge-interface"),
            used("detectLocal.interfaceNamePrefix", Type.STRING, "--pod-interface-name-prefix"),
            used("detectLocalMode", Type.STRING, "--detect-local-mode"),
            unused("enableProfiling", Type.BOOLEAN),
            unused("featureGates", Type.TREE),
            used("healthzBindAddress", Type.ADDRESS, "--healthz-bind-address"),
            used("hostnameOverride", Type.STRING, "--hostname-override"),
            used("iptables.localhostNodePorts", Type.BOOLEAN, "--iptables-localhost-nodeports"),
            used("iptables.masqueradeAll", Type.BOOLEAN, "--masquerade-all"),
            used("iptables.masqueradeBit", Type.INTEGER, "--iptables-masquerade-bit"),
            used("iptables.minSyncPeriod", Type.PERIOD, "--iptables-min-sync-period"),
            used("iptables.syncPeriod", Type.PERIOD, "--iptables-sync-period"),
            unused("ipvs.excludeCIDRs", Type.STRINGS),
            unused("ipvs.minSyncPeriod", Type.PERIOD),
            unused("ipvs.scheduler", Type.STRING),
            unused("ipvs.strictARP", Type.BOOLEAN),
            unused("ipvs.syncPeriod", Type.PERIOD),
            unused("ipvs.tcpFinTimeout", Type.PERIOD),
            unused("ipvs.tcpTimeout", Type.PERIOD),
            unused("ipvs.udpTimeout", Type.PERIOD),
            unused("logging", Type.TREE),
            used("metricsBindAddress", Type.ADDRESS, "--metrics-bind-address"),
            used("mode", Type.STRING, "--mode"),
            unused("nftables.masqueradeAll", Type.BOOLEAN),
            used("nftables.masqueradeBit", Type.INTEGER, "--nftables-masquerade-bit"),
            used("nftables.minSyncPeriod", Type.PERIOD, "--nftables-min-sync-period"),
            used("nftables.syncPeriod", Type.PERIOD, "--nftables-sync-period"),
            used("nodePortAddresses", Type.NODE_PORT_ADDRESSES, "--nodeport-addresses"),
            used("oomScoreAdj", Type.INTEGER, "--oom-score-adj"),
            used("portRange", Type.STRING, "--proxy-port-range"),
            used("serviceProxyName", Type.STRING, "--service-proxy-name"),
            unused("showHiddenMetricsForVersion", Type.STRING),
            unused("udpIdleTimeout", Type.PERIOD),
            unused("windowsRunAsService", Type.BOOLEAN),
            unused("winkernel", Type.TREE));

    private static ConfigField used(String path, Type type, String flag) {
        return new ConfigField(path, type, flag);
    }

    private static ConfigField unused(String path, Type type) {
        return new ConfigField(path, type, null);
    }

    /**
     * What the field holds, as an option's text; empty if it asks for the default.
     *
     * @throws ManifestException if it holds something else
     */
    Optional<String> read(ManifestNode node) throws ManifestException {
        return switch (type) {
            case STRING -> Optional.of(node.asString("")).filter(text -> !text.isEmpty());
            case BOOLEAN -> node.isAbsent() ? Optional.empty() : Optional.of(Boolean.toString(node.asBoolean(false)));
            case INTEGER ->
                node.isAbsent()
                        ? Optional.empty()
                        : Optional.of(Integer.toString(node.asInt(Integer.MIN_VALUE, Integer.MAX_VALUE)));
            case NUMBER -> number(node);
            case PERIOD, TIMEOUT -> duration(node);
            case ADDRESS -> address(node);
            case NETWORKS -> networks(node);
            case STRINGS -> join(node.asStrings());
            case NODE_PORT_ADDRESSES -> nodePortAddresses(node);
            case TREE -> node.isAbsent() ? Optional.empty() : Optional.of("...");
        };
    }

    /** Whether a value equals the default. */
    boolean isNothing(String value) {
        return value.equals("false") || (type != Type.STRING && value.matches("0(\\.0+)?s?"));
    }

    private static Optional<String> number(ManifestNode node) throws ManifestException {
        if (!node.isAbsent() && !node.json().isNumber()) {
            throw node.expected("a number");
        }
        return node.isAbsent() ? Optional.empty() : Optional.of(node.json().asText());
    }

    private Optional<String> duration(ManifestNode node) throws ManifestException {
        String text = node.asString("");
        if (text.isEmpty()) {
            return Optional.empty();
        }
        try {
            boolean none = GoDuration.parse(text).isZero();
            return none && type == Type.PERIOD ? Optional.empty() : Optional.of(text);
        } catch (IllegalArgumentException e) {
            throw node.expected("a duration such as 30s or 1h2m3s");
        }
    }

    private static Optional<String> address(ManifestNode node) throws ManifestException {
        String text = node.asString("");
        if (text.isEmpty()) {
            return Optional.empty();
        }
        try {
            BindAddress.parse(text, 1);
            return Optional.of(text);
        } catch (IllegalArgumentException e) {
            throw node.expected("IP:PORT");
        }
    }

    private static Optional<String> networks(ManifestNode node) throws ManifestException {
        String text = node.asString("");
        try {
            for (String part : text.isEmpty() ? new String[0] : text.split(",", -1)) {
                Cidr.parse(part.strip());
            }
        } catch (IllegalArgumentException e) {
            throw node.expected("networks such as 10.244.0.0/16, separated by commas");
        }
        return text.isEmpty() ? Optional.empty() : Optional.of(text.replace(" ", ""));
    }

    private static Optional<String> nodePortAddresses(ManifestNode node) throws ManifestException {
        for (ManifestNode item : node.items()) {
            if (!item.asString().equals("primary")) {
                item.asCidr();
            }
        }
        return join(node.asStrings());
    }

    private static Optional<String> join(List<String> words) {
        return words.isEmpty() ? Optional.empty() : Optional.of(String.join(",", words));
    }
}
