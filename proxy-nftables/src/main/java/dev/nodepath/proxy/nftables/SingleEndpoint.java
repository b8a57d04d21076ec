package dev.nodepath.proxy.nftables;

import dev.nodepath.endpoints.NodeInfo;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The rule of a service port with one endpoint. kube-proxy changed it in 1.37 (pull request 140723). */
public enum SingleEndpoint {
    /** As the kube-proxy of the Node's Kubernetes version. {@link #MAP} if the version is unknown. */
    AUTO,
    /** A map with one element, as in kube-proxy 1.36. */
    MAP,
    /** A plain {@code dnat to}, as in kube-proxy 1.37. */
    DNAT;

    private static final Pattern VERSION = Pattern.compile("v1\\.([0-9]{1,4})\\b.*");
    private static final int FIRST_MINOR_WITH_DNAT = 37;

    /**
     * Whether the rule is a plain {@code dnat to}.
     *
     * @param node the Node that the rules are for; null if it is unknown
     */
    boolean isPlain(@Nullable NodeInfo node) {
        if (this != AUTO || node == null) {
            return this == DNAT;
        }
        Matcher version = VERSION.matcher(node.kubeletVersion());
        return version.matches() && Integer.parseInt(version.group(1)) >= FIRST_MINOR_WITH_DNAT;
    }

    /** The value on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
