package dev.nodepath.endpoints.source;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;

/** Times of Kubernetes, RFC 3339: {@code 2026-11-20T10:00:00Z}, with or without a fraction of a second. */
final class Rfc3339 {
    private static final String FORM = "dddd-dd-ddTdd:dd:dd";
    private static final int MAX_FRACTION = 9;

    private Rfc3339() {}

    /**
     * Parses a time. Each slice has one, so the form that Kubernetes writes has a parser of its own, at a tenth of the
     * cost. All other forms go to the general parser.
     *
     * @throws DateTimeException if it is none
     */
    static Instant parse(String text) {
        int fraction = text.length() - FORM.length() - 1;
        if (!hasForm(text, fraction)) {
            return OffsetDateTime.parse(text).toInstant();
        }
        int hour = number(text, 11, 2);
        int minute = number(text, 14, 2);
        int second = number(text, 17, 2);
        if (hour > 23 || minute > 59 || second > 59) {
            return OffsetDateTime.parse(text).toInstant();
        }
        long days = LocalDate.of(number(text, 0, 4), number(text, 5, 2), number(text, 8, 2))
                .toEpochDay();
        int nanos = 0;
        for (int digit = 1; digit <= MAX_FRACTION; digit++) {
            nanos = nanos * 10 + (digit < fraction ? text.charAt(FORM.length() + digit) - '0' : 0);
        }
        return Instant.ofEpochSecond(days * 86_400 + hour * 3600L + minute * 60L + second, nanos);
    }

    /** Whether a text has Kubernetes' form: date, time, a fraction of this many characters, and a Z. */
    private static boolean hasForm(String text, int fraction) {
        if (fraction < 0 || fraction == 1 || fraction > MAX_FRACTION + 1 || text.charAt(text.length() - 1) != 'Z') {
            return false;
        }
        for (int i = 0; i < text.length() - 1; i++) {
            char expected = i < FORM.length() ? FORM.charAt(i) : i == FORM.length() ? '.' : 'd';
            char here = text.charAt(i);
            if (expected == 'd' ? here < '0' || here > '9' : here != expected) {
                return false;
            }
        }
        return true;
    }

    private static int number(String text, int from, int digits) {
        int number = 0;
        for (int i = from; i < from + digits; i++) {
            number = number * 10 + (text.charAt(i) - '0');
        }
        return number;
    }
}
