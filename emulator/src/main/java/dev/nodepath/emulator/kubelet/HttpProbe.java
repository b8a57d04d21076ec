package dev.nodepath.emulator.kubelet;

import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import javax.net.ssl.SSLContext;

/**
 * One try of an HTTP probe, as a kubelet makes it: certificates are not verified, and only redirects to the same host
 * are followed. A redirect to another host counts as a success.
 */
final class HttpProbe {
    static final String USER_AGENT = "kube-probe/1.36";

    private static final int REDIRECTS_MAX = 10;
    private static final int LINE_BYTES_MAX = 8 * 1024;
    private static final int LINES_MAX = 200;
    private static final String LOCATION = "location";

    private final Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    private final ProbeDeadline deadline;

    private HttpProbe(Map<String, String> headers, Duration timeout) {
        this.headers.put("User-Agent", USER_AGENT);
        this.headers.put("Accept", "*/*");
        this.headers.putAll(headers);
        this.deadline = new ProbeDeadline(timeout);
    }

    /** The first line of an answer, and its headers by names in lower case. */
    private record Head(int status, Map<String, String> headers) {}

    /**
     * Tries. The whole try, redirects included, takes no longer than the timeout.
     *
     * @param pod asked unless the probe names a host
     * @return why it failed, in a kubelet's words; empty if it passed
     */
    static Optional<String> problem(ProbeSpec.HttpGet probe, InetAddress pod, Duration timeout) {
        String origin = probe.scheme() + "://" + ProbeSpec.host(probe.host(), pod) + ":" + probe.port();
        return new HttpProbe(probe.headers(), timeout).problem(origin + probe.path());
    }

    private Optional<String> problem(String url) {
        String asked = url;
        try {
            URI target = URI.create(asked);
            String host = target.getHost();
            for (int redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
                Head head = get(target);
                String location = head.headers().getOrDefault(LOCATION, "");
                if (head.status() < 300 || head.status() >= 400 || location.isEmpty()) {
                    return head.status() >= 200 && head.status() < 400
                            ? Optional.empty()
                            : Optional.of("HTTP probe failed with statuscode: " + head.status());
                }
                target = target.resolve(location);
                if (!host.equals(target.getHost())) {
                    return Optional.empty();
                }
                asked = target.toString();
            }
            return Optional.of("Get \"" + asked + "\": stopped after " + REDIRECTS_MAX + " redirects");
        } catch (SocketTimeoutException e) {
            return Optional.of("Get \"" + asked
                    + "\": context deadline exceeded (Client.Timeout exceeded while awaiting headers)");
        } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
            return Optional.of("Get \"" + asked + "\": " + e.getMessage());
        }
    }

    private Head get(URI target) throws IOException, GeneralSecurityException {
        boolean secure = "https".equalsIgnoreCase(target.getScheme());
        int port = target.getPort() >= 0 ? target.getPort() : secure ? 443 : 80;
        try (Socket plain = Prober.connect(new InetSocketAddress(target.getHost(), port), deadline.left())) {
            plain.setSoTimeout(deadline.left());
            Socket socket =
                    secure ? trusting().getSocketFactory().createSocket(plain, target.getHost(), port, true) : plain;
            socket.getOutputStream().write(request(target).getBytes(StandardCharsets.UTF_8));
            return read(socket, new BufferedInputStream(socket.getInputStream()));
        }
    }

    /** A header of the probe replaces ours of the same name; a header without a value is left out. */
    private String request(URI target) {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("host", "Host: " + target.getRawAuthority());
        headers.forEach((name, value) -> {
            if (value.isEmpty()) {
                all.remove(name.toLowerCase(Locale.ROOT));
            } else {
                all.put(name.toLowerCase(Locale.ROOT), name + ": " + value);
            }
        });
        all.put("connection", "Connection: close");
        String query = target.getRawQuery() == null ? "" : "?" + target.getRawQuery();
        String path = target.getRawPath().isEmpty() ? "/" : target.getRawPath();
        return "GET " + path + query + " HTTP/1.1\r\n" + String.join("\r\n", all.values()) + "\r\n\r\n";
    }

    private Head read(Socket socket, InputStream in) throws IOException {
        String first = line(socket, in);
        if (!first.matches("HTTP/1\\.[01] [0-9]{3}(?: .*)?")) {
            throw new IOException("malformed HTTP response \"" + first + "\"");
        }
        Map<String, String> answered = new LinkedHashMap<>();
        for (int i = 0; i < LINES_MAX; i++) {
            String line = line(socket, in);
            if (line.isEmpty()) {
                break;
            }
            int colon = line.indexOf(':');
            if (colon > 0) {
                answered.putIfAbsent(
                        line.substring(0, colon).toLowerCase(Locale.ROOT),
                        line.substring(colon + 1).strip());
            }
        }
        return new Head(Integer.parseInt(first.substring(9, 12)), answered);
    }

    private String line(Socket socket, InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        while (line.length() < LINE_BYTES_MAX) {
            socket.setSoTimeout(deadline.left());
            int octet = in.read();
            if (octet < 0 && line.isEmpty()) {
                throw new IOException("EOF");
            }
            if (octet < 0 || octet == '\n') {
                return line.toString().stripTrailing();
            }
            line.append((char) octet);
        }
        throw new IOException("a line of more than " + LINE_BYTES_MAX + " bytes");
    }

    private static SSLContext trusting() throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
        return context;
    }
}
