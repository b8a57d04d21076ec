package dev.nodepath.apiserver.validation;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Amounts such as {@code 100m} and {@code 2Gi} (apimachinery {@code resource.Quantity}). */
public final class Quantities {
    /** Kubernetes' message about a malformed amount. */
    public static final String RULE =
            "quantities must match the regular expression" + " '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

    private static final int DIGITS_MAX = 40;
    private static final Pattern FORM =
            Pattern.compile("([+-]?(?:\\d+\\.?\\d*|\\.\\d+))([KMGTPE]i|[numkMGTPE]|[eE][+-]?\\d{1,2})?");
    private static final Map<String, Integer> POWERS_OF_TEN =
            Map.of("n", -9, "u", -6, "m", -3, "k", 3, "M", 6, "G", 9, "T", 12, "P", 15, "E", 18);
    private static final String BINARY = "KMGTPE";

    private Quantities() {}

    /** The amount; empty if the text is malformed. */
    public static Optional<BigDecimal> parse(String text) {
        Matcher form = FORM.matcher(text);
        if (text.length() > DIGITS_MAX || !form.matches()) {
            return Optional.empty();
        }
        BigDecimal number = new BigDecimal(form.group(1));
        String suffix = form.group(2) == null ? "" : form.group(2);
        if (suffix.isEmpty()) {
            return Optional.of(number);
        }
        if (suffix.endsWith("i")) {
            int power = BINARY.indexOf(suffix.charAt(0)) + 1;
            return Optional.of(number.multiply(new BigDecimal(BigInteger.ONE.shiftLeft(10 * power))));
        }
        Integer power = POWERS_OF_TEN.get(suffix);
        return Optional.of(number.scaleByPowerOfTen(power == null ? Integer.parseInt(suffix.substring(1)) : power));
    }
}
