package dev.nodepath.emulator.report;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Map;

/** The report as JSON; the unit of a figure is the last word of its name. */
final class JsonReport {
    private static final JsonFactory JSON = new JsonFactory();

    private JsonReport() {}

    static String render(CompareReport report) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(text)) {
            json.useDefaultPrettyPrinter();
            json.writeStartObject();
            json.writeNumberField("schemaVersion", CompareReport.SCHEMA_VERSION);
            json.writeStringField("startedAt", report.startedAt().toString());
            json.writeNumberField("elapsedSeconds", report.elapsed().toMillis() / 1e3);
            writeEnvironment(json, report.environment());
            json.writeArrayFieldStart("measurements");
            for (Measurement measurement : report.measurements()) {
                write(json, measurement);
            }
            json.writeEndArray();
            json.writeArrayFieldStart("expectations");
            for (Expectation expectation : report.expectations()) {
                write(json, expectation);
            }
            json.writeEndArray();
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("a string writer failed", e);
        }
        return text + "\n";
    }

    private static void writeEnvironment(JsonGenerator json, Environment environment) throws IOException {
        json.writeObjectFieldStart("environment");
        for (Map.Entry<String, String> fact : environment.facts().entrySet()) {
            json.writeStringField(fact.getKey(), fact.getValue());
        }
        json.writeNumberField("loadAtStart", environment.loadAtStart());
        json.writeEndObject();
    }

    private static void write(JsonGenerator json, Measurement measurement) throws IOException {
        json.writeStartObject();
        json.writeStringField("mode", measurement.mode());
        json.writeStringField("path", measurement.path());
        writeCounts(json, "answers", measurement.answers());
        writeCounts(json, "sources", measurement.sources());
        json.writeNumberField("requestsPerSecond", measurement.requestsPerSecond());
        json.writeNumberField("p50Micros", measurement.p50Micros());
        json.writeNumberField("p99Micros", measurement.p99Micros());
        json.writeNumberField("connectionsPerSecond", measurement.connectionsPerSecond());
        json.writeNumberField("gigabitsPerSecond", measurement.gigabitsPerSecond());
        json.writeNumberField("errors", measurement.errors());
        json.writeEndObject();
    }

    private static void writeCounts(JsonGenerator json, String name, Map<String, Integer> counts) throws IOException {
        json.writeObjectFieldStart(name);
        for (Map.Entry<String, Integer> count : counts.entrySet()) {
            json.writeNumberField(count.getKey(), count.getValue());
        }
        json.writeEndObject();
    }

    private static void write(JsonGenerator json, Expectation expectation) throws IOException {
        json.writeStartObject();
        json.writeStringField("mode", expectation.mode());
        json.writeStringField("what", expectation.what());
        json.writeBooleanField("met", expectation.met());
        json.writeStringField("observed", expectation.observed());
        json.writeEndObject();
    }
}
