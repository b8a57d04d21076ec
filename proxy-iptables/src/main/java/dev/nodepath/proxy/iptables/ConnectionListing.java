package dev.nodepath.proxy.iptables;

import dev.nodepath.endpoints.ConnectionCount;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.address.IpFamily;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the counted connections of endpoints from a listing. */
public final class ConnectionListing {
    private static final Pattern ENDPOINT_RULE =
            Pattern.compile("\\[([0-9]+):[0-9]+] -A (KUBE-SEP-[A-Z2-7]+) .*-j DNAT .*");

    private ConnectionListing() {}

    /**
     * Reads the counts.
     *
     * @param snapshot the snapshot in force. Unknown chains are left out.
     * @param listing the output of {@code iptables-save -c -t nat}
     */
    public static List<ConnectionCount> read(ServiceSnapshot snapshot, IpFamily family, String listing) {
        Map<String, Long> byChain = new HashMap<>();
        listing.lines().filter(line -> line.contains("KUBE-SEP-")).forEach(line -> {
            Matcher rule = ENDPOINT_RULE.matcher(line);
            if (rule.matches()) {
                byChain.put(rule.group(2), Long.parseLong(rule.group(1)));
            }
        });
        return ConnectionCount.of(snapshot, family, service -> ChainNames.of(service)::endpoint, byChain);
    }
}
