package dev.nodepath.page.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * The page: one HTML text that loads nothing else. Its sources are a frame, a style and scripts.
 *
 * @param html all of it
 * @param policy the Content-Security-Policy, which names its one style and its one script by their hashes
 */
record PageDocument(String html, String policy) {
    private static final List<String> SCRIPTS = List.of(
            "text.js",
            "replay.js",
            "model.js",
            "picture.js",
            "wires.js",
            "rates.js",
            "way.js",
            "kernel.js",
            "probe.js",
            "rewrites.js",
            "sent.js",
            "change.js",
            "control.js",
            "detail.js",
            "tables.js",
            "flows.js",
            "lessons.js",
            "compare.js",
            "stream.js",
            "start.js");

    static PageDocument load() {
        String script = "'use strict';\n"
                + SCRIPTS.stream()
                        .map(name -> PageSource.script(resource(name)))
                        .collect(Collectors.joining("\n"));
        return of("page", script);
    }

    /** The page without the token. It shows nothing of the cluster, and has no script. */
    static PageDocument door() {
        return of("door", "");
    }

    private static PageDocument of(String name, String script) {
        String style = PageSource.style(resource(name + ".css"));
        String html = resource(name + ".html").replace("/*STYLE*/", style).replace("/*SCRIPT*/", script);
        return new PageDocument(html, policy(style, script));
    }

    /** The page that shows a recording. */
    PageDocument ofRecording() {
        return new PageDocument(html.replace("<html lang=\"en\">", "<html lang=\"en\" data-replay>"), policy);
    }

    private static String policy(String style, String script) {
        return "default-src 'none'; style-src '" + hash(style) + "'; script-src '" + hash(script)
                + "'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    }

    private static String hash(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return "sha256-" + Base64.getEncoder().encodeToString(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }

    private static String resource(String name) {
        try (InputStream stream = Objects.requireNonNull(PageDocument.class.getResourceAsStream(name), name)) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(name, e);
        }
    }
}
