package dev.nodepath.agent.options;

import dev.nodepath.endpoints.source.Fields;
import dev.nodepath.endpoints.source.PaddedAddress;
import dev.nodepath.linux.address.Cidr;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A field of {@code KubeProxyConfiguration} ({@code kubeproxy.config.k8s.io/v1alpha1}).
 *
 * @param path such as {@code iptables.syncPeriod}
 * @param flag the option of {@code nodepath proxy} with the same meaning; null if the field is accepted and has no
 *     effect
 */
record ConfigField(String path, Type type, @Nullable String flag) {

    /** One option for two fields. */
    private static final String MASQUERADE_ALL = "--masquerade-all";

    /** The type of a field's value. */
    enum Type {
        STRING,
        MODE,
        BOOLEAN,
        INTEGER,
        /** Of a packet's mark. */
        BIT,
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

    private static final List<String> MODES = List.of("iptables", "nftables", "userspace");

    /** All fields, in the order of the file that kubeadm writes. */
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
            used("iptables.masqueradeAll", Type.BOOLEAN, MASQUERADE_ALL),
            used("iptables.masqueradeBit", Type.BIT, "--iptables-masquerade-bit"),
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
            used("mode", Type.MODE, "--mode"),
            used("nftables.masqueradeAll", Type.BOOLEAN, MASQUERADE_ALL),
            used("nftables.masqueradeBit", Type.BIT, "--nftables-masquerade-bit"),
            used("nftables.minSyncPeriod", Type.PERIOD, "--nftables-min-sync-period"),
            used("nftables.syncPeriod", Type.PERIOD, "--nftables-sync-period"),
            used("nodePortAddresses", Type.NODE_PORT_ADDRESSES, "--nodeport-addresses"),
            used("oomScoreAdj", Type.INTEGER, "--oom-score-adj"),
            used("portRange", Type.STRING, "--proxy-port-range"),
            used("serviceProxyName", Type.STRING, "--service-proxy-name"),
            unused("showHiddenMetricsForVersion", Type.STRING),
            used("udpIdleTimeout", Type.PERIOD, "--udp-timeout"),
            unused("windowsRunAsService", Type.BOOLEAN),
            unused("winkernel", Type.TREE));

    private static ConfigField used(String path, Type type, String flag) {
        return new ConfigField(path, type, flag);
    }

    private static ConfigField unused(String path, Type type) {
        return new ConfigField(path, type, null);
    }

    /** The field's value in a whole configuration, as an option's text; empty if it asks for the default. */
    Optional<String> read(Fields root) {
        String[] steps = path.split("\\.", -1);
        Fields parent = root;
        for (String step : Arrays.copyOf(steps, steps.length - 1)) {
            parent = parent.object(step);
        }
        String name = steps[steps.length - 1];
        return parent.has(name) ? read(parent, name) : Optional.empty();
    }

    private Optional<String> read(Fields parent, String name) {
        return switch (type) {
            case STRING -> some(parent.text(name));
            case MODE -> mode(parent, name);
            case BOOLEAN -> Optional.of(Boolean.toString(parent.flag(name, false)));
            case INTEGER -> Optional.of(Integer.toString(parent.number(name, Integer.MIN_VALUE, Integer.MAX_VALUE, 0)));
            case BIT -> Optional.of(Integer.toString(parent.number(name, 0, 31, 0)));
            case NUMBER -> number(parent, name);
            case PERIOD ->
                duration(parent, name).filter(text -> !GoDuration.parse(text).isZero());
            case TIMEOUT -> duration(parent, name);
            case ADDRESS -> checked(parent, name, text -> BindAddress.parse(text, 1), "IP:PORT");
            case NETWORKS -> networks(parent, name);
            case STRINGS -> some(String.join(",", parent.texts(name)));
            case NODE_PORT_ADDRESSES -> nodePortAddresses(parent, name);
            case TREE -> Optional.of("...");
        };
    }

    /**
     * Whether the field decides in a proxy mode: of two fields for one option, only the field in the mode's section
     * does.
     */
    boolean decidesIn(String mode) {
        return !MASQUERADE_ALL.equals(flag) || path.startsWith("nftables.") == mode.equalsIgnoreCase("nftables");
    }

    /** Whether a value equals the default. */
    boolean isNothing(String value) {
        return value.equals("false") || (type != Type.STRING && value.matches("0(\\.0+)?s?"));
    }

    /** As in kube-proxy, the names have small letters. */
    private static Optional<String> mode(Fields parent, String name) {
        Optional<String> mode = some(parent.text(name));
        if (mode.filter(text -> !MODES.contains(text)).isPresent()) {
            parent.problem(
                    name,
                    String.join(", ", MODES)
                            + (mode.get().equals("ipvs") ? "; nftables serves as many Services as ipvs" : ""));
        }
        return mode;
    }

    private static Optional<String> number(Fields parent, String name) {
        if (!parent.json(name).isNumber()) {
            parent.problem(name, "a number");
        }
        return Optional.of(parent.json(name).asText());
    }

    private static Optional<String> duration(Fields parent, String name) {
        return checked(parent, name, GoDuration::parse, "a duration such as 30s or 1h2m3s");
    }

    private static Optional<String> networks(Fields parent, String name) {
        Consumer<String> parser = text -> {
            for (String part : text.split(",", -1)) {
                Cidr.parse(part.strip());
            }
        };
        return checked(parent, name, parser, "networks such as 10.244.0.0/16, separated by commas")
                .map(text -> text.replace(" ", ""));
    }

    private static Optional<String> nodePortAddresses(Fields parent, String name) {
        List<String> entries = parent.texts(name);
        for (int i = 0; i < entries.size(); i++) {
            String entry = entries.get(i);
            if (!entry.equals("primary") && !isValid(PaddedAddress::cidr, entry)) {
                parent.problem(name + "[" + i + "]", entry, "primary, or a CIDR such as 10.244.0.0/24");
            }
        }
        return some(String.join(",", entries));
    }

    /** A string that a parser takes; empty if it is empty. Another one is a problem. */
    private static Optional<String> checked(Fields parent, String name, Consumer<String> parser, String expected) {
        Optional<String> text = some(parent.text(name));
        if (text.isPresent() && !isValid(parser, text.get())) {
            parent.problem(name, expected);
            return Optional.empty();
        }
        return text;
    }

    private static boolean isValid(Consumer<String> parser, String text) {
        try {
            parser.accept(text);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static Optional<String> some(String text) {
        return Optional.of(text).filter(one -> !one.isEmpty());
    }
}
