package dev.nodepath.linux.iptables;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The version and variant of the iptables commands. */
public record IptablesVersion(int major, int minor, int patch, IptablesVariant variant) {
    /** {@code iptables v1.8.9 (nf_tables)}. Before 1.8 there was one variant, which is not named. */
    private static final Pattern PRINTED = Pattern.compile("v(\\d{1,4})\\.(\\d{1,4})\\.(\\d{1,4})( \\(nf_tables\\))?");

    /**
     * Reads the line that the command prints.
     *
     * @throws IptablesException if there is no version in it
     */
    static IptablesVersion parse(String line) throws IptablesException {
        Matcher printed = PRINTED.matcher(line);
        if (!printed.find()) {
            throw new IptablesException(
                    "iptables --version: \"" + line.strip() + "\" (expected: such as \"iptables v1.8.9 (nf_tables)\")");
        }
        return new IptablesVersion(
                Integer.parseInt(printed.group(1)),
                Integer.parseInt(printed.group(2)),
                Integer.parseInt(printed.group(3)),
                printed.group(4) == null ? IptablesVariant.LEGACY : IptablesVariant.NFT);
    }

    /** Whether MASQUERADE knows {@code --random-fully}. */
    public boolean hasRandomFully() {
        return atLeast(1, 6, 2);
    }

    private boolean atLeast(int wantedMajor, int wantedMinor, int wantedPatch) {
        if (major != wantedMajor) {
            return major > wantedMajor;
        }
        return minor != wantedMinor ? minor > wantedMinor : patch >= wantedPatch;
    }
}
