package dev.nodepath.endpoints.source.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import io.fabric8.kubernetes.client.utils.HttpClientUtils;
import java.io.IOException;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.URI;
import java.nio.channels.UnresolvedAddressException;
import java.security.GeneralSecurityException;
import java.security.cert.CertPathBuilderException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Requests to one API server. It uses HTTP/1.1, where a cancelled request closes its connection. Over HTTP/2 the next
 * request would go into the same dead connection.
 */
public final class ApiClient implements AutoCloseable {
    /** The bytes that are read of the body of a failure. */
    static final int MAX_FAILURE_BYTES = 64 * 1024;
    /** The characters of a failure's message in errors. */
    static final int MAX_MESSAGE_CHARS = 500;

    /** The media type of JSON. */
    public static final String JSON_TYPE = "application/json";

    private static final int OK = 200;
    private static final int CREATED = 201;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient http;
    private final String server;
    private final String host;
    private final Optional<ApiListener> listener;
    private final Duration answerLimit;

    /**
     * Makes a client. It cancels a request if the answer has not begun in this time.
     *
     * @throws GeneralSecurityException if a certificate or key cannot be used
     */
    public ApiClient(ApiServerAccess access, Duration answerLimit) throws GeneralSecurityException, IOException {
        // Not from its configuration: it would read all authorities of the Java runtime, and trust them too.
        HttpClient.Factory factory = new JdkHttpClientFactory();
        Config config = access.config();
        HttpClient.Builder builder = factory.newBuilder()
                .connectTimeout(config.getConnectionTimeout(), TimeUnit.MILLISECONDS)
                .followAllRedirects()
                .preferHttp11();
        builder.tag(config.getRequestConfig());
        if (access.server().startsWith("https:")) {
            builder.sslContext(access.keyManagers(), access.trustManagers()).tlsVersions(config.getTlsVersions());
        }
        Optional.ofNullable(config.getTlsServerName()).ifPresent(builder::tlsServerName);
        access.proxy()
                .ifPresent(proxy -> builder.proxyType(HttpClient.ProxyType.HTTP).proxyAddress(proxy));
        HttpClientUtils.createApplicableInterceptors(config, factory).forEach(builder::addOrReplaceInterceptor);
        this.http = builder.build();
        this.server = access.server();
        this.host = URI.create(server).getRawAuthority();
        this.listener = access.listener();
        this.answerLimit = answerLimit;
    }

    /**
     * Sends a request and waits until its answer begins.
     *
     * @param path path and query
     * @param silence how long the body may pause
     * @throws ApiException if the answer is a failure
     * @throws IOException if there is no answer
     */
    public BodyStream get(String path, Duration silence) throws IOException, InterruptedException {
        return get(path, JSON_TYPE, silence);
    }

    /** Requests a path with an Accept header. */
    public BodyStream get(String path, String accept, Duration silence) throws IOException, InterruptedException {
        return send(request(path, accept).build(), silence);
    }

    /**
     * Requests one object, and reads its answer to the end: an answer that is left before costs its connection, and the
     * next request another one.
     *
     * @param path path and query
     * @throws ApiException if the answer is a failure
     * @throws IOException if there is no answer, or it is not JSON
     */
    public JsonNode object(String path) throws IOException, InterruptedException {
        try (BodyStream body = get(path, answerLimit)) {
            return JSON.readTree(body.readAllBytes());
        }
    }

    /**
     * Sends a change, and returns when the server has confirmed it.
     *
     * @param method such as {@code PATCH}
     * @param contentType of the body
     * @throws ApiException if the answer is a failure
     * @throws IOException if there is no answer
     */
    public void change(String method, String path, String contentType, String body)
            throws IOException, InterruptedException {
        HttpRequest request =
                request(path, JSON_TYPE).method(method, contentType, body).build();
        try (BodyStream answer = send(request, answerLimit)) {
            readToEnd(answer);
        }
    }

    /** So the connection serves again. The server has made the change: a broken answer does not undo it. */
    private static void readToEnd(BodyStream answer) {
        try {
            answer.transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            // The next request takes another connection.
        }
    }

    private HttpRequest.Builder request(String path, String accept) throws IOException {
        return http.newHttpRequestBuilder()
                .uri(uri(path))
                .header("Accept", accept)
                .timeout(answerLimit.toMillis(), TimeUnit.MILLISECONDS);
    }

    private BodyStream send(HttpRequest request, Duration silence) throws IOException, InterruptedException {
        BodyStream stream = new BodyStream(silence);
        long start = System.nanoTime();
        String code = ApiListener.NO_ANSWER;
        CompletableFuture<HttpResponse<AsyncBody>> answer =
                http.consumeBytes(request, (bytes, body) -> stream.arrived(bytes));
        HttpResponse<AsyncBody> response;
        try {
            // The client has its own limit for each try. This one covers everything.
            response = answer.get(2 * answerLimit.toNanos(), TimeUnit.NANOSECONDS);
            code = Integer.toString(response.code());
        } catch (ExecutionException | TimeoutException e) {
            answer.cancel(true);
            throw new IOException(explain(e), e);
        } catch (InterruptedException e) {
            answer.cancel(true);
            throw e;
        } finally {
            tell(request.method(), code, Duration.ofNanos(System.nanoTime() - start));
        }
        stream.open(response.body());
        if (response.code() != OK && response.code() != CREATED) {
            try (stream) {
                throw failure(response, stream);
            }
        }
        return stream;
    }

    private void tell(String method, String code, Duration duration) {
        listener.ifPresent(told -> told.answered(method, host, code, duration));
    }

    /** The whole URL of a path, for errors. */
    public String url(String path) {
        return server + path;
    }

    @Override
    public void close() {
        http.close();
    }

    /** A failure in one line. */
    public static String explain(Throwable failure) {
        Throwable cause = failure;
        while ((cause instanceof ExecutionException || cause instanceof CompletionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        for (Throwable inner = cause; inner != null; inner = inner.getCause()) {
            if (inner instanceof UnresolvedAddressException) {
                return "host not found";
            }
            if (inner instanceof CertPathBuilderException) {
                return "certificate of the server: not signed by the certificate authority that the kubeconfig or the"
                        + " service account names";
            }
        }
        if (cause instanceof ConnectException) {
            return "cannot connect" + (cause.getMessage() == null ? "" : ": " + oneLine(cause.getMessage()));
        }
        if (cause instanceof TimeoutException || cause instanceof java.net.http.HttpTimeoutException) {
            return "no answer in time";
        }
        String message = cause.getMessage();
        return message == null ? cause.getClass().getSimpleName() : oneLine(message);
    }

    /** The failure of a Status object of the API. */
    public static ApiException failure(JsonNode status, int code, Optional<Duration> retryAfter) {
        String reason = status.path("reason").asText("");
        String message = status.path("message").asText("");
        String text = reason.isEmpty() || message.equals(reason) ? message : reason + ": " + message;
        long seconds = status.path("details").path("retryAfterSeconds").asLong(0);
        return new ApiException(
                code,
                oneLine(text),
                retryAfter.isPresent() || seconds <= 0 ? retryAfter : Optional.of(Duration.ofSeconds(seconds)));
    }

    private static ApiException failure(HttpResponse<?> response, BodyStream body) {
        JsonNode status;
        try {
            status = JSON.readTree(body.readNBytes(MAX_FAILURE_BYTES));
        } catch (IOException e) {
            // A proxy in between may answer anything. The status code is enough.
            status = JSON.createObjectNode();
        }
        return failure(status, response.code(), retryAfter(response.header("Retry-After")));
    }

    private static Optional<Duration> retryAfter(@Nullable String header) {
        return header != null && header.matches("[0-9]{1,6}")
                ? Optional.of(Duration.ofSeconds(Long.parseLong(header)))
                : Optional.empty();
    }

    private URI uri(String path) throws IOException {
        try {
            return URI.create(server + path);
        } catch (IllegalArgumentException e) {
            throw new IOException(oneLine(String.valueOf(e.getMessage())), e);
        }
    }

    private static String oneLine(String text) {
        String line = text.strip().replaceAll("\\s+", " ");
        return line.length() <= MAX_MESSAGE_CHARS ? line : line.substring(0, MAX_MESSAGE_CHARS) + "...";
    }
}
