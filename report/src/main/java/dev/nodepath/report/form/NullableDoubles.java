package dev.nodepath.report.form;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdScalarSerializer;
import java.io.IOException;

/** Writes a double that is not finite as {@code null}, because JSON has no NaN, and reads {@code null} as NaN. */
final class NullableDoubles extends SimpleModule {
    private static final long serialVersionUID = 1;

    NullableDoubles() {
        addSerializer(double.class, new Writer());
        addSerializer(Double.class, new Writer());
        addDeserializer(double.class, new Reader());
        addDeserializer(Double.class, new Reader());
    }

    private static final class Writer extends StdScalarSerializer<Double> {
        private static final long serialVersionUID = 1;

        Writer() {
            super(Double.class);
        }

        @Override
        public void serialize(Double value, JsonGenerator json, SerializerProvider provider) throws IOException {
            if (Double.isFinite(value)) {
                json.writeNumber(value);
            } else {
                json.writeNull();
            }
        }
    }

    private static final class Reader extends StdScalarDeserializer<Double> {
        private static final long serialVersionUID = 1;

        Reader() {
            super(double.class);
        }

        @Override
        public Double deserialize(JsonParser json, DeserializationContext context) throws IOException {
            if (json.currentToken().isNumeric()) {
                return json.getDoubleValue();
            }
            return (Double) context.handleUnexpectedToken(double.class, json);
        }

        @Override
        public Double getNullValue(DeserializationContext context) {
            return Double.NaN;
        }

        /** A missing field is an error. */
        @Override
        public Object getAbsentValue(DeserializationContext context) throws JsonMappingException {
            return context.reportInputMismatch(double.class, "missing");
        }
    }
}
