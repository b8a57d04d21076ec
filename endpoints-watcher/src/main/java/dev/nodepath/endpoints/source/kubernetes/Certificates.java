package dev.nodepath.endpoints.source.kubernetes;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/**
 * Certificates and a client's key as PEM, for TLS. Without a further library the client reads only RSA keys, but k3s,
 * for example, issues EC keys. Keys may be in PKCS #8, PKCS #1 (RSA, RFC 8017) or SEC 1 (EC, RFC 5915).
 */
final class Certificates {
    private static final Pattern KEY =
            Pattern.compile("-----BEGIN (RSA |EC |)PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END \\1PRIVATE KEY-----");
    private static final String KEY_FORMS = "a PEM private key of PKCS #8, PKCS #1 or SEC 1, not encrypted";
    private static final char[] NO_PASSWORD = {};

    private static final int INTEGER = 0x02;
    private static final int OCTET_STRING = 0x04;
    private static final int SEQUENCE = 0x30;
    private static final byte[] VERSION_0 = {INTEGER, 1, 0};
    /** rsaEncryption with NULL, RFC 8017 appendix A.1. */
    private static final byte[] RSA = {6, 9, 0x2A, (byte) 0x86, 0x48, (byte) 0x86, (byte) 0xF7, 0x0D, 1, 1, 1, 5, 0};
    /** id-ecPublicKey, RFC 5480 section 2.1.1. */
    private static final byte[] EC = {6, 7, 0x2A, (byte) 0x86, 0x48, (byte) 0xCE, 0x3D, 2, 1};

    private static final byte[] P256 = {6, 8, 0x2A, (byte) 0x86, 0x48, (byte) 0xCE, 0x3D, 3, 1, 7};
    private static final byte[] P384 = {6, 5, 0x2B, (byte) 0x81, 4, 0, 0x22};
    private static final byte[] P521 = {6, 5, 0x2B, (byte) 0x81, 4, 0, 0x23};

    private Certificates() {}

    /**
     * The key managers for TLS.
     *
     * @param certificates one certificate or a chain that begins with the client's certificate
     * @throws GeneralSecurityException if one cannot be read, or they do not belong together
     */
    static KeyManager[] keyManagers(String certificates, String key) throws GeneralSecurityException {
        KeyStore store = store();
        store.setKeyEntry("client", key(key), NO_PASSWORD, certificates(certificates));
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(store, NO_PASSWORD);
        return managers.getKeyManagers();
    }

    /**
     * The trust managers for TLS.
     *
     * @param authorities the certificates of the authorities that may sign the server's certificate
     * @throws GeneralSecurityException if one cannot be read
     */
    static TrustManager[] trustManagers(String authorities) throws GeneralSecurityException {
        KeyStore store = store();
        Certificate[] certificates = certificates(authorities);
        for (int i = 0; i < certificates.length; i++) {
            store.setCertificateEntry(Integer.toString(i), certificates[i]);
        }
        TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(store);
        return managers.getTrustManagers();
    }

    /** An empty store in memory. A PKCS #12 store would derive a key in 10,000 rounds at each write and read. */
    private static KeyStore store() throws GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("JKS");
        try {
            store.load(null, NO_PASSWORD);
        } catch (IOException e) {
            throw new UncheckedIOException("an empty store reads nothing", e);
        }
        return store;
    }

    private static Certificate[] certificates(String pem) throws GeneralSecurityException {
        Certificate[] certificates = CertificateFactory.getInstance("X.509")
                .generateCertificates(new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII)))
                .toArray(new Certificate[0]);
        if (certificates.length == 0) {
            throw new GeneralSecurityException("no certificate (expected: PEM certificates)");
        }
        return certificates;
    }

    private static PrivateKey key(String pem) throws GeneralSecurityException {
        Matcher matcher = KEY.matcher(pem);
        if (!matcher.find()) {
            throw new GeneralSecurityException("no key (expected: " + KEY_FORMS + ")");
        }
        byte[] der = Base64.getMimeDecoder().decode(matcher.group(2));
        switch (matcher.group(1)) {
            case "RSA " -> der = pkcs8(RSA, der);
            case "EC " -> der = pkcs8(join(EC, curve(der)), der);
            default -> {
                // PKCS #8 names its own algorithm.
            }
        }
        try {
            return KeyFactory.getInstance("RSA").generatePrivate(new PKCS8EncodedKeySpec(der));
        } catch (GeneralSecurityException e) {
            return KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(der));
        }
    }

    /** RFC 5208: version, algorithm, and the key in the form of that algorithm. */
    private static byte[] pkcs8(byte[] algorithm, byte[] key) {
        return tagged(SEQUENCE, join(VERSION_0, tagged(SEQUENCE, algorithm), tagged(OCTET_STRING, key)));
    }

    /** The curve of a SEC 1 key, by the length of its number. TLS 1.3 has only these three curves for certificates. */
    private static byte[] curve(byte[] sec1) throws GeneralSecurityException {
        // The sequence begins with version 1, which takes three bytes, and the number as an octet string.
        int at = sec1.length > 1 && (sec1[1] & 0x80) != 0 ? 2 + (sec1[1] & 0x7F) : 2;
        int length = at + 4 < sec1.length && sec1[at + 3] == OCTET_STRING ? sec1[at + 4] : 0;
        return switch (length) {
            case 32 -> P256;
            case 48 -> P384;
            case 66 -> P521;
            default -> throw new GeneralSecurityException("EC key of another curve (expected: P-256, P-384, P-521)");
        };
    }

    private static byte[] tagged(int tag, byte[] content) {
        int length = content.length;
        byte[] header = length < 0x80
                ? new byte[] {(byte) tag, (byte) length}
                : new byte[] {(byte) tag, (byte) 0x82, (byte) (length >>> 8), (byte) length};
        return join(header, content);
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream joined = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            joined.writeBytes(part);
        }
        return joined.toByteArray();
    }
}
