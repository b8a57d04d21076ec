package dev.nodepath.emulator.kubelet;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * How a node reaches the API server.
 *
 * @param url of the server
 * @param token of the node
 * @param tls trusts the server
 */
public record ApiAccess(String url, String token, SSLContext tls) {
    /**
     * Access to a server with this certificate.
     *
     * @throws IOException if this Java has no TLS
     */
    public static ApiAccess trusting(X509Certificate server, String url, String token) throws IOException {
        try {
            KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
            trusted.load(null, null);
            trusted.setCertificateEntry("server", server);
            TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            managers.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, managers.getTrustManagers(), null);
            return new ApiAccess(url, token, context);
        } catch (GeneralSecurityException e) {
            throw new IOException("no TLS: " + e.getMessage(), e);
        }
    }
}
