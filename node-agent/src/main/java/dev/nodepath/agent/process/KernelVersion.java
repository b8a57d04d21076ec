package dev.nodepath.agent.process;

import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The version of a Linux kernel, and the abilities that modes need. */
public record KernelVersion(int major, int minor, String text) {
    /** Set to any value, nftables mode is tried on every kernel. kube-proxy has the same variable. */
    static final String SKIP_CHECK = "KUBE_PROXY_NFTABLES_SKIP_KERNEL_VERSION_CHECK";

    private static final Pattern NUMBERS = Pattern.compile("([0-9]+)\\.([0-9]+).*");

    /** Reads a version such as {@code 6.1.0-56-amd64}; 0.0 if it is none. */
    public static KernelVersion parse(String text) {
        Matcher numbers = NUMBERS.matcher(text);
        return numbers.matches()
                ? new KernelVersion(Integer.parseInt(numbers.group(1)), Integer.parseInt(numbers.group(2)), text)
                : new KernelVersion(0, 0, text);
    }

    /** The version of the running kernel. */
    public static KernelVersion ofThis() {
        return parse(System.getProperty("os.version", ""));
    }

    /**
     * Checks that the kernel supports all of our tables: 5.13, as for kube-proxy's nftables mode.
     *
     * @param option that needs the tables, as the user writes it
     * @param instead the option for older kernels
     * @throws IOException that names the version, unless the environment says not to check
     */
    public void requireNftables(String option, String instead) throws IOException {
        if (!isAtLeast(5, 13) && System.getenv(SKIP_CHECK) == null) {
            throw new IOException(option + ": kernel " + text + " (expected: 5.13 or later, or " + instead + "; with "
                    + SKIP_CHECK + " in the environment it is not checked)");
        }
    }

    /** Whether a chain can be removed in one transaction with the last map element that leads to it. */
    public boolean removesChainsAtOnce() {
        return isAtLeast(6, 2);
    }

    /** Whether a PID namespace has its own limit of processes; in older kernels the limit is the whole machine's. */
    public boolean limitsProcessesOfNamespaces() {
        return isAtLeast(6, 14);
    }

    private boolean isAtLeast(int wantedMajor, int wantedMinor) {
        return major > wantedMajor || (major == wantedMajor && minor >= wantedMinor);
    }
}
