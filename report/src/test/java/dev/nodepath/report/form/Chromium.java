package dev.nodepath.report.form;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Debian's Chromium without a window, and one page in it, spoken to by the DevTools protocol. */
public final class Chromium implements AutoCloseable {
    private static final long SECONDS_MAX = 300;

    private final Process process;
    private final WebSocket socket;
    private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();
    private final List<String> errors = new java.util.ArrayList<>();
    private int lastId;

    /**
     * Starts it.
     *
     * @param folder gets a folder with its profile
     */
    public Chromium(Path folder) throws Exception {
        Path profile = Files.createDirectory(folder.resolve("profile"));
        ProcessBuilder builder = new ProcessBuilder(
                        "chromium",
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-quic",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--disable-sync",
                        "--hide-scrollbars",
                        "--remote-debugging-port=0",
                        "--user-data-dir=" + profile,
                        "about:blank")
                .redirectErrorStream(true)
                .redirectOutput(profile.resolve("chromium.log").toFile());
        // Files left after a kill are in the test's folder, and are removed with it.
        builder.environment().put("HOME", profile.toString());
        builder.environment().put("TMPDIR", profile.toString());
        this.process = builder.start();
        int port = port(profile);
        String address = string(targets(port), "webSocketDebuggerUrl");
        this.socket = HttpClient.newHttpClient()
                .newWebSocketBuilder()
                .buildAsync(URI.create(address), new Listener(messages))
                .get(SECONDS_MAX, TimeUnit.SECONDS);
        for (String domain : List.of("Page", "Runtime", "Log")) {
            call(domain + ".enable", Map.of());
        }
    }

    /** A list with one target, the blank page, which may come a little after the port. */
    private static String targets(int port) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/json/list"))
                .build();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
        HttpClient client = HttpClient.newHttpClient();
        while (true) {
            String targets =
                    client.send(request, HttpResponse.BodyHandlers.ofString()).body();
            if (targets.contains("webSocketDebuggerUrl") || System.nanoTime() > deadline) {
                return targets;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    /** Opens a page and waits until it has been loaded. */
    public void open(URI page) throws Exception {
        send("Page.navigate", Map.of("url", page.toString()));
        await(message -> message.contains("\"Page.loadEventFired\""));
    }

    /** Sets the size of the window in CSS pixels; the page is drawn as on a screen with two pixels for one, or one. */
    public void resize(int width, int height, int scale) throws Exception {
        call(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", scale, "mobile", false));
    }

    /** Shows the page to a reader who wants it light or dark, on a screen or in print. */
    public void media(String type, String scheme) throws Exception {
        call(
                "Emulation.setEmulatedMedia",
                Map.of("media", type, "features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    }

    /** Shows the page to a reader who wants no motion, until the next {@link #media}. */
    public void reduceMotion() throws Exception {
        call(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-reduced-motion", "value", "reduce"))));
    }

    /** Runs an expression in the page and returns its value, a text. */
    public String evaluate(String expression) throws Exception {
        String answer = call("Runtime.evaluate", Map.of("expression", expression, "returnByValue", true));
        if (answer.contains("\"exceptionDetails\"")) {
            throw new IllegalStateException(answer);
        }
        return string(answer, "value");
    }

    /** Whether an expression of the page is true, or a value that counts as true. */
    public boolean has(String expression) throws Exception {
        return evaluate("String(Boolean(" + expression + "))").equals("true");
    }

    /** Presses and releases a key, as a person does; the browser moves the focus, and clicks the focused element. */
    public void press(String key, int code, String text) throws Exception {
        call(
                "Input.dispatchKeyEvent",
                Map.of("type", "keyDown", "key", key, "windowsVirtualKeyCode", code, "text", text));
        call("Input.dispatchKeyEvent", Map.of("type", "keyUp", "key", key, "windowsVirtualKeyCode", code));
    }

    /** The input of a screen reader: all nodes of the accessibility tree as the protocol's JSON. */
    public String accessibilityTree() throws Exception {
        return call("Accessibility.getFullAXTree", Map.of());
    }

    /** The whole page as PNG, in base 64. */
    public String screenshot() throws Exception {
        return string(call("Page.captureScreenshot", Map.of("format", "png", "captureBeyondViewport", true)), "data");
    }

    /** Begins anew with {@link #errors}, for a page that has nothing to do with the one before. */
    public void forgetErrors() {
        errors.clear();
    }

    /** What the page has complained about, as the protocol's messages. */
    public List<String> errors() {
        return List.copyOf(errors);
    }

    private String call(String method, Map<String, Object> parameters) throws Exception {
        int id = send(method, parameters);
        String answer = await(message -> message.startsWith("{\"id\":" + id + ","));
        if (answer.startsWith("{\"id\":" + id + ",\"error\"")) {
            throw new IllegalStateException(method + ": " + answer);
        }
        return answer;
    }

    private int send(String method, Map<String, Object> parameters) throws Exception {
        int id = ++lastId;
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
            json.writeStartObject();
            json.writeNumberField("id", id);
            json.writeStringField("method", method);
            json.writeFieldName("params");
            write(json, parameters);
            json.writeEndObject();
        }
        socket.sendText(text.toString(), true).get(SECONDS_MAX, TimeUnit.SECONDS);
        return id;
    }

    private static void write(JsonGenerator json, Object value) throws IOException {
        if (value instanceof Map<?, ?> map) {
            json.writeStartObject();
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                json.writeFieldName(String.valueOf(entry.getKey()));
                write(json, entry.getValue());
            }
            json.writeEndObject();
        } else if (value instanceof List<?> list) {
            json.writeStartArray();
            for (Object element : list) {
                write(json, element);
            }
            json.writeEndArray();
        } else {
            json.writePOJO(value);
        }
    }

    private String await(java.util.function.Predicate<String> wanted) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
        while (true) {
            String message = messages.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (message == null) {
                throw new IOException("chromium: no answer within " + SECONDS_MAX + " s");
            }
            if (message.contains("\"Runtime.consoleAPICalled\"")
                    || message.contains("\"Runtime.exceptionThrown\"")
                    || message.contains("\"Log.entryAdded\"")) {
                errors.add(message);
            }
            if (wanted.test(message)) {
                return message;
            }
        }
    }

    /** The first text of this name anywhere in a JSON text. */
    private static String string(String json, String name) throws IOException {
        try (JsonParser parser = new JsonFactory().createParser(json)) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (token == JsonToken.VALUE_STRING && name.equals(parser.currentName())) {
                    return parser.getText();
                }
            }
        }
        throw new IOException("no \"" + name + "\" in " + json);
    }

    private int port(Path profile) throws IOException {
        Path file = profile.resolve("DevToolsActivePort");
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
        while (true) {
            List<String> lines = Files.exists(file) ? Files.readAllLines(file) : List.of();
            if (lines.size() > 1) {
                return Integer.parseInt(lines.get(0));
            }
            if (!process.isAlive() || System.nanoTime() > deadline) {
                throw new IOException("chromium: " + Files.readString(profile.resolve("chromium.log")));
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    @Override
    public void close() {
        socket.abort();
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().onExit().join();
    }

    /** Puts the parts of each message together. */
    private static final class Listener implements WebSocket.Listener {
        private final BlockingQueue<String> messages;
        private final StringBuilder parts = new StringBuilder();

        Listener(BlockingQueue<String> messages) {
            this.messages = messages;
        }

        @Override
        public CompletionStage<?> onText(WebSocket webSocket, CharSequence data, boolean last) {
            parts.append(data);
            if (last) {
                messages.add(parts.toString());
                parts.setLength(0);
            }
            webSocket.request(1);
            return CompletableFuture.completedFuture(null);
        }
    }
}
