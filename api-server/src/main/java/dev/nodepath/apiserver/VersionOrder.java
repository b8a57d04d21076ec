package dev.nodepath.apiserver;

import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The order of versions in Kubernetes: stable ones first, then beta, then alpha, each with the higher number first;
 * names of another form are last.
 */
record VersionOrder(int stage, int major, int minor, String name) implements Comparable<VersionOrder> {
    private static final Pattern FORM = Pattern.compile("v([0-9]{1,6})(?:(alpha|beta)([0-9]{1,6}))?");
    private static final List<String> STAGES = List.of("", "beta", "alpha");
    private static final Comparator<VersionOrder> ORDER = Comparator.comparing(VersionOrder::stage)
            .thenComparing(VersionOrder::major, Comparator.reverseOrder())
            .thenComparing(VersionOrder::minor, Comparator.reverseOrder())
            .thenComparing(VersionOrder::name);

    static VersionOrder of(String version) {
        Matcher form = FORM.matcher(version);
        if (!form.matches()) {
            return new VersionOrder(STAGES.size(), 0, 0, version);
        }
        boolean stable = form.group(2) == null;
        return new VersionOrder(
                STAGES.indexOf(stable ? "" : form.group(2)),
                Integer.parseInt(form.group(1)),
                stable ? 0 : Integer.parseInt(form.group(3)),
                version);
    }

    @Override
    public int compareTo(VersionOrder other) {
        return ORDER.compare(this, other);
    }
}
