package dev.nodepath.endpoints.source.kubernetes;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.nodepath.endpoints.source.ManifestException;
import dev.nodepath.endpoints.source.ManifestReader;
import dev.nodepath.endpoints.source.SourceException;
import io.fabric8.kubernetes.api.model.NamedContext;
import io.fabric8.kubernetes.client.Config;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A checked kubeconfig file. Every object that the current context names must exist. Only users with a credentials
 * plugin are left to the client: it builds a model of every kind of the API before it reads a file.
 *
 * @param server the URL of the context's cluster
 * @param config the client's view of the file, with the credentials
 * @param proxy through which the server is reached; empty for none
 */
record Kubeconfig(String server, Config config, Optional<InetSocketAddress> proxy) {
    /** The largest file: enough for embedded certificates of hundreds of clusters. */
    static final long MAX_BYTES = 10L << 20;

    /** Where the client looks for the file when it is not let in, to read the token again. */
    private static final String FILE_OF_CONTEXT = "KUBERNETES_CONFIG_CONTEXT_FILE_KEY";

    /**
     * Reads the file, and the files that it names.
     *
     * @throws SourceException with the file, the field, its value and what was expected
     */
    static Kubeconfig read(Path file) throws SourceException {
        KubeconfigPart root = parse(file);
        String name = root.text("current-context");
        KubeconfigPart context = root.named("contexts", "context", name, root.at("current-context"))
                .orElseThrow(
                        () -> root.problem("contexts[" + name + "].context", "missing (expected: cluster and user)"));
        String clusterName = context.text("cluster");
        KubeconfigPart cluster = root.named("clusters", "cluster", clusterName, context.at("cluster"))
                .orElseThrow(() -> root.problem("clusters[" + clusterName + "].cluster", "missing (expected: server)"));
        String server = ApiServerAccess.url(cluster.at("server"), cluster.text("server"));
        cluster.checkFile("certificate-authority");
        // A context without a user is allowed: its requests are anonymous.
        String userName = context.text("user");
        Optional<KubeconfigPart> user =
                userName.isEmpty() ? Optional.empty() : root.named("users", "user", userName, context.at("user"));
        Config config;
        if (user.isPresent() && (user.get().has("exec") || user.get().has("auth-provider"))) {
            config = pluginConfig(file, user.get());
        } else {
            config = config(file, name, cluster);
            if (user.isPresent()) {
                setCredentials(config, user.get());
            }
        }
        if (user.isPresent()) {
            setTokenFile(config, file, user.get());
        }
        return new Kubeconfig(server, config, proxy(cluster));
    }

    private static KubeconfigPart parse(Path file) throws SourceException {
        try {
            if (!Files.isRegularFile(file)) {
                throw new SourceException("kubeconfig " + file + ": "
                        + (Files.exists(file) ? "not a file" : "not found") + " (expected: a kubeconfig file)");
            }
            if (Files.size(file) > MAX_BYTES) {
                throw new SourceException("kubeconfig " + file + ": longer than " + MAX_BYTES + " bytes");
            }
            return KubeconfigPart.root(file, ManifestReader.document(file));
        } catch (ManifestException e) {
            throw new SourceException("kubeconfig " + file + ": " + e.reason() + " (expected: a kubeconfig file)", e);
        } catch (IOException e) {
            throw new SourceException("kubeconfig " + file + ": " + ApiServerAccess.reason(e), e);
        }
    }

    private static Config config(Path file, String contextName, KubeconfigPart cluster) throws SourceException {
        Config config = Config.empty();
        NamedContext context = new NamedContext(null, contextName);
        context.setAdditionalProperty(FILE_OF_CONTEXT, file.toFile());
        config.setCurrentContext(context);
        boolean insecure = cluster.flag("insecure-skip-tls-verify");
        config.setTrustCerts(insecure);
        config.setDisableHostnameVerification(insecure);
        config.setCaCertFile(cluster.file("certificate-authority"));
        config.setCaCertData(orNull(cluster.text("certificate-authority-data")));
        config.setTlsServerName(orNull(cluster.text("tls-server-name")));
        return config;
    }

    private static void setCredentials(Config config, KubeconfigPart user) throws SourceException {
        user.checkFile("client-certificate");
        user.checkFile("client-key");
        boolean certificate = user.has("client-certificate") || user.has("client-certificate-data");
        if (certificate && !user.has("client-key") && !user.has("client-key-data")) {
            throw new SourceException(user.at("client-key")
                    + ": missing (expected: client-key or client-key-data, as there is a client certificate)");
        }
        config.setClientCertFile(user.file("client-certificate"));
        config.setClientCertData(orNull(user.text("client-certificate-data")));
        config.setClientKeyFile(user.file("client-key"));
        config.setClientKeyData(orNull(user.text("client-key-data")));
        config.setAutoOAuthToken(orNull(user.text("token")));
        config.setUsername(orNull(user.text("username")));
        config.setPassword(orNull(user.text("password")));
    }

    /** The client ignores tokenFile. tokenFile has priority over token, as in client-go. */
    private static void setTokenFile(Config config, Path file, KubeconfigPart user) throws SourceException {
        String token = user.text("tokenFile");
        if (!token.isEmpty()) {
            config.setOauthTokenProvider(new FileToken(user.at("tokenFile"), file.resolveSibling(token)));
        }
    }

    private static Optional<InetSocketAddress> proxy(KubeconfigPart cluster) throws SourceException {
        String text = cluster.text("proxy-url");
        if (text.isEmpty()) {
            return Optional.empty();
        }
        String problem = cluster.at("proxy-url") + ": \"" + text
                + "\" (expected: a URL with a port such as http://10.0.0.1:3128)";
        try {
            URI uri = new URI(text);
            if (!"http".equals(uri.getScheme())
                    || uri.getHost() == null
                    || uri.getPort() < 0
                    || uri.getUserInfo() != null) {
                throw new SourceException(problem);
            }
            return Optional.of(new InetSocketAddress(uri.getHost(), uri.getPort()));
        } catch (URISyntaxException e) {
            throw new SourceException(problem, e);
        }
    }

    /** Has the client run the plugin, and checks that it gave credentials. The client goes on without them. */
    private static Config pluginConfig(Path file, KubeconfigPart user) throws SourceException {
        checkStyle(file);
        Config config;
        try {
            config = Config.fromKubeconfig(file.toFile());
        } catch (RuntimeException e) {
            // Most often a plugin that cannot run.
            throw new SourceException("kubeconfig " + file + ": " + ApiClient.explain(e), e);
        }
        if (user.has("exec")
                && orNull(config.getAutoOAuthToken()) == null
                && orNull(config.getClientCertData()) == null) {
            KubeconfigPart exec = user.part("exec");
            throw new SourceException(exec.at("command") + ": " + exec.text("command")
                    + " gave no credentials (expected: a plugin that prints an ExecCredential of "
                    + exec.text("apiVersion") + ")");
        }
        return config;
    }

    /** Rejects YAML that begins in flow style. The client would parse it as JSON, with an unclear error. */
    private static void checkStyle(Path file) throws SourceException {
        try {
            String text = Files.readString(file);
            if (text.stripLeading().startsWith("{")) {
                new ObjectMapper().readTree(text);
            }
        } catch (JsonProcessingException e) {
            throw new SourceException(
                    "kubeconfig " + file + ": line " + e.getLocation().getLineNr()
                            + ": begins with {, is not JSON and has"
                            + " a plugin (expected: JSON, or YAML that does not begin with {)",
                    e);
        } catch (IOException e) {
            throw new SourceException("kubeconfig " + file + ": " + ApiServerAccess.reason(e), e);
        }
    }

    private static @Nullable String orNull(@Nullable String text) {
        return text == null || text.isEmpty() ? null : text;
    }
}
