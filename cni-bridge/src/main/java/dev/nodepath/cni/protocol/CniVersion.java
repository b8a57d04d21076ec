package dev.nodepath.cni.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A version of the CNI specification that this plugin supports. A configuration's version is matched exactly, as in
 * libcni.
 */
public enum CniVersion {
    V0_1_0("0.1.0"),
    V0_2_0("0.2.0"),
    V0_3_0("0.3.0"),
    V0_3_1("0.3.1"),
    V0_4_0("0.4.0"),
    V1_0_0("1.0.0"),
    V1_1_0("1.1.0");

    private final String text;

    CniVersion(String text) {
        this.text = text;
    }

    /** The version of this text; empty if it is not supported. */
    public static Optional<CniVersion> of(String text) {
        for (CniVersion version : values()) {
            if (version.text.equals(text)) {
                return Optional.of(version);
            }
        }
        return Optional.empty();
    }

    /** The highest supported version. */
    public static CniVersion latest() {
        return V1_1_0;
    }

    /** All supported versions as texts, lowest first. */
    public static List<String> supported() {
        List<String> texts = new ArrayList<>();
        for (CniVersion version : values()) {
            texts.add(version.text);
        }
        return List.copyOf(texts);
    }

    /** Whether this version is equal to the other one or later. */
    public boolean isAtLeast(CniVersion other) {
        return compareTo(other) >= 0;
    }

    @Override
    public String toString() {
        return text;
    }
}
