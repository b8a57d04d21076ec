package dev.nodepath.report.form;

import dev.nodepath.report.Samples;
import java.util.Locale;

/** Numbers for people: three or more significant digits, with commas between thousands. */
public final class Numbers {
    private Numbers() {}

    /** For example {@code 124,289}, {@code 15.9}, {@code 0.215}; a dash for a missing value. */
    public static String of(double value) {
        if (!Double.isFinite(value)) {
            return "-";
        }
        double size = Math.abs(value);
        String format = size >= 100 ? "%,.0f" : size >= 10 ? "%.1f" : size >= 1 || size == 0 ? "%.2f" : "%.3f";
        return String.format(Locale.ROOT, format, value);
    }

    /** Smallest and largest value, such as {@code 15.2 to 16.1}; empty with fewer than two. */
    static String range(Samples samples) {
        return samples.measured().size() < 2 ? "" : of(samples.min()) + " to " + of(samples.max());
    }

    /**
     * A fact of a machine: memory in the form {@code 25.3 GB}, from the kernel's kB (1024); other facts unchanged.
     */
    static String ofFact(String value) {
        return value.matches("[0-9]{1,15} kB")
                ? String.format(
                        Locale.ROOT, "%.1f GB", Long.parseLong(value.substring(0, value.length() - 3)) * 1024 / 1e9)
                : value;
    }

    /** A ratio, such as {@code 0.52 x}. */
    static String ratio(double value) {
        return Double.isFinite(value) ? String.format(Locale.ROOT, value < 0.1 ? "%.3f x" : "%.2f x", value) : "-";
    }

    /** A part of a whole, such as {@code 12 %}; empty if it is not known. */
    static String percent(double part) {
        return Double.isFinite(part) ? String.format(Locale.ROOT, part < 0.01 ? "%.1f %%" : "%.0f %%", part * 100) : "";
    }
}
