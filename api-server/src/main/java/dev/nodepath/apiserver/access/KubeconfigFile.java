package dev.nodepath.apiserver.access;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * The file that tells kubectl and other clients how to reach a server.
 *
 * @param server such as {@code https://127.0.0.1:6443}
 * @param certificateAuthority PEM of the certificate that signed the server's certificate
 * @param token sent by clients as {@code Authorization: Bearer}
 * @param name of the cluster, the user and the context
 */
public record KubeconfigFile(String server, String certificateAuthority, String token, String name) {
    /** The file's text, in YAML. */
    public String yaml() {
        return """
                apiVersion: v1
                kind: Config
                current-context: %1$s
                clusters:
                - name: %1$s
                  cluster:
                    server: %2$s
                    certificate-authority-data: %3$s
                contexts:
                - name: %1$s
                  context:
                    cluster: %1$s
                    user: %1$s
                    namespace: default
                users:
                - name: %1$s
                  user:
                    token: %4$s
                """.formatted(
                        name,
                        server,
                        Base64.getEncoder().encodeToString(certificateAuthority.getBytes(StandardCharsets.UTF_8)),
                        token);
    }
}
