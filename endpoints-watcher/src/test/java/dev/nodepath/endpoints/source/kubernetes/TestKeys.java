package dev.nodepath.endpoints.source.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** A key of its own with a certificate that it has signed itself, for 127.0.0.1. */
final class TestKeys {
    private static final char[] PASSWORD = "password".toCharArray();

    /** By name and algorithm, because the tool takes a second. */
    private static final Map<String, KeyStore> MADE = new ConcurrentHashMap<>();

    private final KeyStore store;

    /** Equal for the same name and algorithm. */
    TestKeys(Path folder, String name, String algorithm) throws Exception {
        String both = name + " " + algorithm;
        KeyStore known = MADE.get(both);
        store = known != null ? known : made(folder, name, algorithm);
        MADE.put(both, store);
    }

    /** Made by the JDK's tool, because Java has no public API for it. */
    private static KeyStore made(Path folder, String name, String algorithm) throws Exception {
        Path file = folder.resolve(name + ".p12");
        String keytool =
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
        String command = keytool + " -genkeypair -keyalg " + algorithm + " -alias key -dname CN=" + name
                + " -ext san=ip:127.0.0.1 -storetype PKCS12 -storepass " + new String(PASSWORD) + " -keystore " + file;
        Process process = new ProcessBuilder(Arrays.asList(command.split(" ", -1)))
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, PASSWORD);
        }
        return store;
    }

    String certificate() throws Exception {
        return pem("CERTIFICATE", store.getCertificate("key").getEncoded());
    }

    /** The private key as PKCS #8. */
    String key() throws Exception {
        return pem("PRIVATE KEY", store.getKey("key", PASSWORD).getEncoded());
    }

    /** The private key as older tools write it: PKCS #1 for RSA, SEC 1 for EC; both are a part of PKCS #8. */
    String oldKey() throws Exception {
        byte[] encoded = store.getKey("key", PASSWORD).getEncoded();
        String algorithm = store.getKey("key", PASSWORD).getAlgorithm();
        // The outer sequence holds a version, the algorithm, and an octet string: the last of them ends where all ends.
        int at = 4 + 3;
        at = algorithm.equals("RSA") ? at : encoded[1] < 0 ? 3 + 3 : 2 + 3;
        at += 2 + encoded[at + 1];
        int lengthBytes = encoded[at + 1] < 0 ? encoded[at + 1] & 0x7f : 0;
        return pem(algorithm + " PRIVATE KEY", Arrays.copyOfRange(encoded, at + 2 + lengthBytes, encoded.length));
    }

    /** A context of a server with this key, that trusts another certificate or none. */
    SSLContext context(@Nullable TestKeys trusted) throws Exception {
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, PASSWORD);
        SSLContext context = SSLContext.getInstance("TLS");
        if (trusted == null) {
            context.init(keys.getKeyManagers(), null, null);
        } else {
            KeyStore trust = KeyStore.getInstance("PKCS12");
            trust.load(null, null);
            trust.setCertificateEntry("client", trusted.store.getCertificate("key"));
            TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            managers.init(trust);
            context.init(keys.getKeyManagers(), managers.getTrustManagers(), null);
        }
        return context;
    }

    private static String pem(String type, byte[] der) {
        return "-----BEGIN " + type + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der) + "\n-----END " + type + "-----\n";
    }
}
