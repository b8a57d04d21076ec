package dev.nodepath.linux.address;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The parser against the grammar of RFC 3986, section 3.2.2, written as a pattern, and against the JDK's values. */
class IpAddressGrammarTest {
    private static final int TEXTS = 200_000;
    private static final String OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9][0-9]|[0-9])";
    private static final String IPV4 = OCTET + "(?:\\." + OCTET + "){3}";
    private static final String GROUP = "[0-9A-Fa-f]{1,4}";
    /** The last 32 bits. */
    private static final String LAST = "(?:" + GROUP + ":" + GROUP + "|" + IPV4 + ")";

    private static final Pattern ADDRESS = Pattern.compile(String.join(
                    "|",
                    IPV4,
                    "(?:G:){6}L",
                    "::(?:G:){5}L",
                    "(?:G)?::(?:G:){4}L",
                    "(?:(?:G:){0,1}G)?::(?:G:){3}L",
                    "(?:(?:G:){0,2}G)?::(?:G:){2}L",
                    "(?:(?:G:){0,3}G)?::G:L",
                    "(?:(?:G:){0,4}G)?::L",
                    "(?:(?:G:){0,5}G)?::G",
                    "(?:(?:G:){0,6}G)?::")
            .replace("G", GROUP)
            .replace("L", LAST));

    @Test
    void acceptsExactlyTheGrammar() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        int accepted = 0;
        for (int i = 0; i < TEXTS; i++) {
            String text = random.nextBoolean() ? pieces(random) : mutated(random);
            boolean expected = ADDRESS.matcher(text).matches();
            IpAddress parsed = null;
            try {
                parsed = IpAddress.parse(text);
            } catch (IllegalArgumentException e) {
                assertThat(e).hasMessageContaining(text);
            }
            assertThat(parsed != null).as("seed %d: \"%s\"", seed, text).isEqualTo(expected);
            if (parsed != null && !text.regionMatches(true, 0, "::ffff:", 0, 7)) {
                accepted++;
                byte[] jdk = InetAddress.getByName(text).getAddress();
                if (jdk.length == parsed.toBytes().length) {
                    assertThat(parsed.toBytes())
                            .as("seed %d: \"%s\"", seed, text)
                            .isEqualTo(jdk);
                }
            }
        }
        assertThat(accepted).as("seed %d", seed).isGreaterThan(TEXTS / 100);
    }

    private static String pieces(Random random) {
        String[] pieces = {":", "::", ".", "0", "1", "00", "ff", "255", "256", "1.2.3.4", "12345", "abcd", "g", "\u0661"
        };
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(17); i >= 0; i--) {
            text.append(pieces[random.nextInt(random.nextInt(4) == 0 ? pieces.length : 5)]);
        }
        return text.toString();
    }

    /** A right address with something taken out or put in. */
    private static String mutated(Random random) {
        byte[] bytes = new byte[random.nextBoolean() ? 4 : 16];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (random.nextInt(3) == 0 ? random.nextInt(256) : 0);
        }
        StringBuilder text = new StringBuilder(IpAddress.of(bytes).toString());
        for (int i = random.nextInt(3); i > 0 && !text.isEmpty(); i--) {
            int at = random.nextInt(text.length());
            if (random.nextBoolean()) {
                text.deleteCharAt(at);
            } else {
                text.insert(at, "0123456789abcdefABCDEF:. ".charAt(random.nextInt(25)));
            }
        }
        return text.toString();
    }
}
