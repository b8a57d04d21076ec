package dev.nodepath.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** A key with its own self-signed certificate, for one host name; made by the JDK's tool. */
record Tls(SSLContext context, String certificate) {
    private static final String PASSWORD = "password";

    static Tls of(String host, Path folder) throws Exception {
        Path file = folder.resolve("key.p12");
        String keytool =
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
        HostProgram.output(
                keytool,
                "-genkeypair",
                "-keyalg",
                "EC",
                "-alias",
                "key",
                "-dname",
                "CN=" + host,
                "-ext",
                "san=dns:" + host,
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-keystore",
                file.toString());
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, PASSWORD.toCharArray());
        }
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        byte[] der = store.getCertificate("key").getEncoded();
        assertThat(der).isNotEmpty();
        String base64 = new String(Base64.getMimeEncoder(64, new byte[] {'\n'}).encode(der), StandardCharsets.US_ASCII);
        return new Tls(context, "-----BEGIN CERTIFICATE-----\n" + base64 + "\n-----END CERTIFICATE-----\n");
    }
}
