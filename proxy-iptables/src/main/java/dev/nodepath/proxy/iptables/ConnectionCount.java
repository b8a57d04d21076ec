package dev.nodepath.proxy.iptables;

import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.proxy.iptables.rules.ChainNames;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The number of connections that the rules sent to one endpoint of a service port. nat rules see only the first packet
 * of a connection, so a rule's packet counter counts connections. It restarts at 0 when the chain is rewritten.
 *
 * @param connections since then, 0 or more
 */
public record ConnectionCount(ServicePortName service, Endpoint endpoint, long connections) {
    private static final Pattern ENDPOINT_RULE =
            Pattern.compile("\\[([0-9]+):[0-9]+] -A (KUBE-SEP-[A-Z2-7]+) .*-j DNAT .*");

    /**
     * Reads the counts.
     *
     * @param snapshot the snapshot in force. Chains that it does not know are left out.
     * @param listing what {@code iptables-save -c -t nat} printed
     */
    public static List<ConnectionCount> of(ServiceSnapshot snapshot, IpFamily family, String listing) {
        Map<String, Long> byChain = new HashMap<>();
        listing.lines().filter(line -> line.contains("KUBE-SEP-")).forEach(line -> {
            Matcher rule = ENDPOINT_RULE.matcher(line);
            if (rule.matches()) {
                byChain.put(rule.group(2), Long.parseLong(rule.group(1)));
            }
        });
        List<ConnectionCount> counts = new ArrayList<>();
        for (ServicePort service : snapshot.services().values()) {
            ChainNames chains = ChainNames.of(service.name());
            for (Endpoint endpoint : snapshot.endpoints(service.name(), family)) {
                Long connections = byChain.get(chains.endpoint(endpoint));
                if (connections != null) {
                    counts.add(new ConnectionCount(service.name(), endpoint, connections));
                }
            }
        }
        return counts;
    }
}
