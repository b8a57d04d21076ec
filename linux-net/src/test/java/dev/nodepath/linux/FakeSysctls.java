package dev.nodepath.linux;

import dev.nodepath.linux.syscall.Errno;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The settings below {@code /proc/sys/net} of one namespace of the fake kernel: whole numbers, and the name of the
 * congestion control.
 */
final class FakeSysctls {
    private static final String CONGESTION_CONTROL = "net/ipv4/tcp_congestion_control";
    private static final List<String> CONGESTION_CONTROLS = List.of("cubic", "reno");
    private static final Map<String, String> GLOBAL = Map.of(
            "net/ipv4/ip_forward", "0",
            "net/ipv4/tcp_timestamps", "1",
            "net/ipv4/ip_nonlocal_bind", "0",
            "net/ipv4/tcp_tw_reuse", "2",
            "net/core/somaxconn", "4096",
            "net/bridge/bridge-nf-call-iptables", "1",
            "net/bridge/bridge-nf-call-ip6tables", "1",
            "net/bridge/bridge-nf-call-arptables", "1",
            "net/netfilter/nf_conntrack_max", "262144",
            "net/netfilter/nf_conntrack_tcp_be_liberal", "0");
    private static final Map<String, String> IPV4_CONF = Map.ofEntries(
            Map.entry("accept_local", "0"),
            Map.entry("accept_redirects", "1"),
            Map.entry("arp_announce", "0"),
            Map.entry("arp_filter", "0"),
            Map.entry("arp_ignore", "0"),
            Map.entry("arp_notify", "0"),
            Map.entry("forwarding", "0"),
            Map.entry("log_martians", "0"),
            Map.entry("promote_secondaries", "0"),
            Map.entry("proxy_arp", "0"),
            Map.entry("route_localnet", "0"),
            Map.entry("rp_filter", "0"),
            Map.entry("send_redirects", "1"),
            Map.entry("src_valid_mark", "0"));
    private static final Map<String, String> IPV6_CONF = Map.ofEntries(
            Map.entry("accept_dad", "1"),
            Map.entry("accept_ra", "1"),
            Map.entry("accept_redirects", "1"),
            Map.entry("addr_gen_mode", "0"),
            Map.entry("autoconf", "1"),
            Map.entry("dad_transmits", "1"),
            Map.entry("disable_ipv6", "0"),
            Map.entry("enhanced_dad", "1"),
            Map.entry("forwarding", "0"),
            Map.entry("keep_addr_on_down", "0"),
            Map.entry("ndisc_notify", "0"),
            Map.entry("proxy_ndp", "0"));

    private final Map<String, String> values = new TreeMap<>(GLOBAL);

    FakeSysctls() {
        values.put(CONGESTION_CONTROL, CONGESTION_CONTROLS.get(0));
        for (String scope : List.of("all", "default")) {
            IPV4_CONF.forEach((key, value) -> values.put("net/ipv4/conf/" + scope + "/" + key, value));
            IPV6_CONF.forEach((key, value) -> values.put("net/ipv6/conf/" + scope + "/" + key, value));
        }
    }

    /** A new link starts with the values of {@code default}. */
    void linkAdded(String name) {
        Map<String, String> added = new HashMap<>();
        values.forEach((key, value) -> {
            if (key.contains("/conf/default/")) {
                added.put(key.replace("/conf/default/", "/conf/" + name + "/"), value);
            }
        });
        values.putAll(added);
    }

    void linkGone(String name) {
        values.keySet().removeIf(key -> key.contains("/conf/" + name + "/"));
    }

    String get(String key) throws FakeRefusal {
        @Nullable String value = values.get(key);
        if (value == null) {
            throw new FakeRefusal(Errno.ENOENT);
        }
        return value;
    }

    void set(String key, String value) throws FakeRefusal {
        get(key);
        String trimmed = value.strip();
        if (key.equals(CONGESTION_CONTROL)) {
            if (!CONGESTION_CONTROLS.contains(trimmed)) {
                throw new FakeRefusal(Errno.ENOENT);
            }
        } else if (!trimmed.matches("-?[0-9]{1,9}")) {
            throw new FakeRefusal(Errno.EINVAL);
        }
        values.put(key, trimmed);
        spread(key, trimmed);
    }

    /** Whether a setting is on for a link itself. */
    boolean isOnFor(String prefix, String link, String key) {
        return !"0".equals(values.get(prefix + link + "/" + key));
    }

    /** Whether a setting is on for a link, by itself or for all. */
    boolean isOn(String prefix, String link, String key) {
        return isOnFor(prefix, link, key) || isOnFor(prefix, "all", key);
    }

    /** Forwarding and disable_ipv6 of {@code all} are written through to every link and to {@code default}. */
    private void spread(String key, String value) {
        if (key.equals("net/ipv4/ip_forward")) {
            values.put("net/ipv4/conf/all/forwarding", value);
            spread("net/ipv4/conf/all/forwarding", value);
        } else if (key.endsWith("/conf/all/forwarding") || key.equals("net/ipv6/conf/all/disable_ipv6")) {
            String prefix = key.substring(0, key.indexOf("all/"));
            String name = key.substring(key.lastIndexOf('/'));
            values.replaceAll((other, old) -> other.startsWith(prefix) && other.endsWith(name) ? value : old);
            if (prefix.equals("net/ipv4/conf/")) {
                values.put("net/ipv4/ip_forward", value);
            }
        }
    }
}
