package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The live page of a running cluster, for a program.
 *
 * @param address without a path
 * @param token that everything needs
 * @param http for this cluster alone: the next one may have the same port
 */
record PageClient(String address, String token, HttpClient http) {
    private static final Pattern LINK = Pattern.compile("(http://127\\.0\\.0\\.1:\\d+)/\\?token=(\\S+)");
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Before there is a cluster. */
    static final PageClient NONE = new PageClient("", "");

    PageClient(String address, String token) {
        this(address, token, HttpClient.newHttpClient());
    }

    /** Starts a cluster, with these arguments of {@code up} besides {@code --page}. */
    static PageClient up(NodepathScript nodepath, String... arguments) throws IOException, InterruptedException {
        String[] command =
                Stream.concat(Stream.of("up", "--page"), Stream.of(arguments)).toArray(String[]::new);
        return printed(nodepath.run(command).output());
    }

    /** At the address that a command has printed. */
    static PageClient printed(String output) {
        Matcher link = LINK.matcher(output);
        assertThat(link.find()).as(output).isTrue();
        return new PageClient(link.group(1), link.group(2));
    }

    /** The address with the token, as printed. */
    URI link() {
        return URI.create(address + "/?token=" + token);
    }

    JsonNode state() throws IOException, InterruptedException {
        return get("state");
    }

    /** The API's value at this path, such as {@code flows}. */
    JsonNode get(String path) throws IOException, InterruptedException {
        return JSON.readTree(text(path));
    }

    /** As {@link #get}, as text. */
    String text(String path) throws IOException, InterruptedException {
        return http.send(request("/api/" + path), HttpResponse.BodyHandlers.ofString())
                .body();
    }

    /** The page for a browser. */
    String html() throws IOException, InterruptedException {
        return http.send(request("/"), HttpResponse.BodyHandlers.ofString()).body();
    }

    /** The stream of events; the caller closes it. */
    InputStream events() throws IOException, InterruptedException {
        return http.send(request("/api/events"), HttpResponse.BodyHandlers.ofInputStream())
                .body();
    }

    private HttpRequest request(String path) {
        return asking(path).build();
    }

    private HttpRequest.Builder asking(String path) {
        return HttpRequest.newBuilder(URI.create(address + path)).header("authorization", "Bearer " + token);
    }

    /** Sends an action, whatever its result. */
    HttpResponse<String> send(String action, JsonNode what) throws IOException, InterruptedException {
        HttpRequest request = asking("/api/" + action)
                .header("content-type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(what.toString()))
                .build();
        return http.send(request, HttpResponse.BodyHandlers.ofString());
    }

    /** Does something that must work. */
    JsonNode post(String action, JsonNode what) throws IOException, InterruptedException {
        HttpResponse<String> answer = send(action, what);
        assertThat(answer.statusCode()).as(action + what + ": " + answer.body()).isEqualTo(200);
        return JSON.readTree(answer.body());
    }
}
