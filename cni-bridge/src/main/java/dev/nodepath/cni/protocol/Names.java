package dev.nodepath.cni.protocol;

/**
 * The alphabet of container IDs and network names: CNI specification 1.1.0, sections "Parameters" and "Network
 * configuration".
 */
public final class Names {
    /** The pattern of an identifier. */
    public static final String IDENTIFIER = "[a-zA-Z0-9][a-zA-Z0-9_.-]*, at most 255 characters";

    /** The longest identifier, in characters: a network's name is also a folder's name ({@code NAME_MAX}). */
    static final int LENGTH_MAX = 255;

    private Names() {}

    /** Whether the text is an identifier. An identifier is also a safe file name. */
    public static boolean isIdentifier(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (!isAlphanumeric(c) && (i == 0 || "_.-".indexOf(c) < 0)) {
                return false;
            }
        }
        return !text.isEmpty() && text.length() <= LENGTH_MAX;
    }

    private static boolean isAlphanumeric(int c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    }
}
