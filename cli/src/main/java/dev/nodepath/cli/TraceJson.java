package dev.nodepath.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.nodepath.endpoints.trace.Trace;
import java.io.IOException;
import java.io.StringWriter;

/** A trace as JSON. */
final class TraceJson {
    private TraceJson() {}

    /** A JSON object with the packet, the steps, the answers of policies, and the outcomes. */
    static String of(TracedPolicies traced) throws IOException {
        Trace trace = traced.trace();
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
            json.useDefaultPrettyPrinter();
            json.writeStartObject();
            json.writeStringField("source", trace.packet().source().toString());
            json.writeStringField("destination", trace.packet().destination().toString());
            json.writeNumberField("port", trace.packet().port());
            json.writeStringField("protocol", trace.packet().protocol().lowerCase());
            json.writeArrayFieldStart("steps");
            for (Trace.Step step : trace.steps()) {
                json.writeStartObject();
                json.writeStringField("table", step.table());
                json.writeStringField("chain", step.chain());
                json.writeNumberField("depth", step.depth());
                json.writeNumberField("number", step.number());
                json.writeStringField("rule", step.rule());
                json.writeArrayFieldStart("elements");
                for (Trace.Element element : step.elements()) {
                    json.writeStartObject();
                    json.writeStringField("set", element.set());
                    json.writeStringField("element", element.text());
                    json.writeEndObject();
                }
                json.writeEndArray();
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeArrayFieldStart("policies");
            for (String sentence : traced.sentences()) {
                json.writeString(sentence);
            }
            json.writeEndArray();
            json.writeArrayFieldStart("outcomes");
            for (Trace.Outcome outcome : trace.outcomes()) {
                json.writeStartObject();
                json.writeStringField("verdict", outcome.verdict().name());
                json.writeStringField("address", outcome.address().toString());
                json.writeNumberField("port", outcome.port());
                json.writeNumberField("probability", outcome.probability());
                json.writeBooleanField("masqueraded", outcome.masqueraded());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        return text + "\n";
    }
}
