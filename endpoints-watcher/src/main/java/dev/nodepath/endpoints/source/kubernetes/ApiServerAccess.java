package dev.nodepath.endpoints.source.kubernetes;

import dev.nodepath.endpoints.source.SourceException;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.internal.SSLUtils;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/** The address of an API server, and the credentials. */
public final class ApiServerAccess {
    /** The folder in a pod with the service account's token and the cluster's CA certificate. */
    public static final Path SERVICE_ACCOUNT = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");

    private static final String HOST = "KUBERNETES_SERVICE_HOST";
    private static final String PORT = "KUBERNETES_SERVICE_PORT";

    private final String origin;
    private final String server;
    private final Config config;

    private final Optional<ClientKey> clientKey;
    /** The certificates of the authorities that may sign the server's certificate, as PEM. */
    private final Optional<String> authorities;

    private final Optional<InetSocketAddress> proxy;
    private final Optional<ApiListener> listener;

    /** A client certificate and its key, as PEM. */
    private record ClientKey(String certificates, String key) {}

    private ApiServerAccess(String origin, String server, Config config, Optional<InetSocketAddress> proxy)
            throws SourceException {
        this.origin = origin;
        this.server = server;
        this.config = config;
        config.setMasterUrl(server);
        // Retries are decided in one place, which is not the client.
        config.setRequestRetryBackoffLimit(0);
        config.setUserAgent("nodepath");
        this.clientKey = takeClientKey(origin, config);
        this.authorities = pem(origin, "certificate-authority", config.getCaCertData(), config.getCaCertFile());
        this.proxy = proxy;
        this.listener = Optional.empty();
    }

    private ApiServerAccess(ApiServerAccess other, ApiListener listener) {
        this.origin = other.origin;
        this.server = other.server;
        this.config = other.config;
        this.clientKey = other.clientKey;
        this.authorities = other.authorities;
        this.proxy = other.proxy;
        this.listener = Optional.of(listener);
    }

    /**
     * The access of a kubeconfig file's current context.
     *
     * @param master a URL to use instead of the one in the file
     * @throws SourceException if the file is missing or malformed, or refers to something that does not exist
     */
    public static ApiServerAccess kubeconfig(Path file, Optional<String> master) throws SourceException {
        Kubeconfig kubeconfig = Kubeconfig.read(file);
        String server = master.isPresent() ? url("--master", master.get()) : kubeconfig.server();
        return new ApiServerAccess("kubeconfig " + file, server, kubeconfig.config(), kubeconfig.proxy());
    }

    /**
     * This server, without credentials.
     *
     * @throws SourceException if it is not a URL
     */
    public static ApiServerAccess master(String url) throws SourceException {
        return new ApiServerAccess("--master", url("--master", url), Config.empty(), Optional.empty());
    }

    /**
     * The access of a pod's service account. The token is read again for each request.
     *
     * @param environment of the process
     * @param serviceAccount as a rule {@link #SERVICE_ACCOUNT}
     * @throws SourceException if this is not a pod with a service account
     */
    public static ApiServerAccess inCluster(Map<String, String> environment, Path serviceAccount)
            throws SourceException {
        String host = environment.getOrDefault(HOST, "");
        String port = environment.getOrDefault(PORT, "");
        if (host.isEmpty() || port.isEmpty()) {
            throw new SourceException("in-cluster: " + (host.isEmpty() ? HOST : PORT)
                    + ": unset (expected: a pod, or --kubeconfig, --master or --manifests)");
        }
        Path authority = serviceAccount.resolve("ca.crt");
        if (!Files.isReadable(authority)) {
            throw new SourceException("in-cluster: " + authority + ": not readable (expected: the CA certificate)");
        }
        Config config = Config.empty();
        config.setCaCertFile(authority.toString());
        config.setOauthTokenProvider(new FileToken("in-cluster", serviceAccount.resolve("token")));
        String address = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
        return new ApiServerAccess(
                "in-cluster", url("in-cluster", "https://" + address + ":" + port), config, Optional.empty());
    }

    /** A copy of this access with a listener for the server's answers. */
    public ApiServerAccess telling(ApiListener told) {
        return new ApiServerAccess(this, told);
    }

    /** The listener of the server's answers. */
    public Optional<ApiListener> listener() {
        return listener;
    }

    /** A server's URL without a slash at its end. */
    static String url(String field, String text) throws SourceException {
        String problem = field + ": \"" + text + "\" (expected: a URL such as https://10.0.0.1:6443)";
        try {
            URI uri = new URI(text);
            boolean known = "https".equalsIgnoreCase(uri.getScheme()) || "http".equalsIgnoreCase(uri.getScheme());
            if (!known || uri.getHost() == null || uri.getQuery() != null || uri.getUserInfo() != null) {
                throw new SourceException(problem);
            }
        } catch (java.net.URISyntaxException e) {
            throw new SourceException(problem, e);
        }
        return text.replaceAll("/+$", "");
    }

    /** The reason of an I/O error, without the file's name. */
    static String reason(IOException e) {
        if (e instanceof NoSuchFileException) {
            return "not found";
        }
        if (e instanceof java.nio.file.AccessDeniedException) {
            return "permission denied";
        }
        String message = e.getMessage();
        return message == null ? e.getClass().getSimpleName() : message;
    }

    /**
     * The client certificate for TLS; null, in the client's form, if there is none.
     *
     * @throws GeneralSecurityException if the certificate or its key cannot be read
     */
    KeyManager @Nullable [] keyManagers() throws GeneralSecurityException {
        return clientKey.isPresent()
                ? Certificates.keyManagers(
                        clientKey.get().certificates(), clientKey.get().key())
                : null;
    }

    /**
     * The authorities that may have signed the server's certificate: only the named ones, as in client-go; without
     * named ones those of the Java runtime.
     *
     * @throws GeneralSecurityException if a certificate cannot be read
     */
    TrustManager[] trustManagers() throws GeneralSecurityException, IOException {
        return authorities.isPresent() && !config.isTrustCerts()
                ? Certificates.trustManagers(authorities.get())
                : SSLUtils.trustManagers(config);
    }

    /** The proxy through which the server is reached; empty for none. */
    Optional<InetSocketAddress> proxy() {
        return proxy;
    }

    /** Takes the certificate and key out of the client's configuration. The client cannot read every kind of key. */
    private static Optional<ClientKey> takeClientKey(String origin, Config config) throws SourceException {
        Optional<String> certificates =
                pem(origin, "client-certificate", config.getClientCertData(), config.getClientCertFile());
        Optional<String> key = pem(origin, "client-key", config.getClientKeyData(), config.getClientKeyFile());
        if (certificates.isEmpty() || key.isEmpty()) {
            return Optional.empty();
        }
        config.setClientCertData(null);
        config.setClientCertFile(null);
        config.setClientKeyData(null);
        config.setClientKeyFile(null);
        return Optional.of(new ClientKey(certificates.get(), key.get()));
    }

    private static Optional<String> pem(String origin, String field, @Nullable String data, @Nullable String file)
            throws SourceException {
        try {
            if (data != null && !data.isEmpty()) {
                // A credential plugin gives plain PEM, a kubeconfig has Base64.
                return Optional.of(
                        data.startsWith("-----")
                                ? data
                                : new String(Base64.getMimeDecoder().decode(data), StandardCharsets.US_ASCII));
            }
            return file == null || file.isEmpty() ? Optional.empty() : Optional.of(Files.readString(Path.of(file)));
        } catch (IllegalArgumentException e) {
            throw new SourceException(origin + ": " + field + "-data: not Base64 (expected: PEM in Base64)", e);
        } catch (IOException e) {
            throw new SourceException(origin + ": " + field + ": " + file + ": " + reason(e), e);
        }
    }

    /** The origin of the configuration, for errors. */
    public String origin() {
        return origin;
    }

    /** The server's URL, without a slash at its end. */
    public String server() {
        return server;
    }

    Config config() {
        return config;
    }
}
